// proposal.md and task.md of one change: why, what, and the tasks with their five elements. Pure.
import { type Box, boxesOf } from './boxes.ts';
import {
  createFindings,
  type Document,
  type Finding,
  fieldsOf,
  idsIn,
  readDocument,
  sectionOf,
} from './document.ts';
import { lintOrder } from './order.ts';
import { isKebab } from './paths.ts';
import { lintTrace } from './trace.ts';

/** A change is named by what is done. */
const VERBS = new Set(
  [
    'adapt add adjust allow apply archive build bump cache change check clean clear close collect',
    'combine compress configure connect convert copy correct count create cut define delete',
    'deprecate detect disable document download draw drop enable enforce ensure export expose extend',
    'extract filter find fix format generate group guard handle harden hide implement import improve',
    'integrate introduce keep let limit link list load lock log make map measure merge migrate',
    'modify move open optimise optimize parse pin port prepare prevent print protect provide publish',
    'read record recover redesign reduce refactor register release remove rename reorder repair',
    'replace report require reset resolve restore restrict resume return revise rework rewrite run',
    'save scan search secure send separate serve set share show simplify sort speed split stop store',
    'support switch sync test tidy track translate trim tune undo unify update upgrade upload use',
    'validate verify warn wrap write',
  ].flatMap((words) => words.split(' ')),
);

export function readProposal(
  text: string,
  id: string,
): { requirements: string[]; breaking: boolean; findings: Finding[] } {
  const doc: Document = readDocument(text);
  const findings = createFindings();
  if (!isKebab(id) || !VERBS.has(id.split('-', 1)[0] ?? ''))
    findings.add(null, `the id "${id}" is not kebab-case that begins with a verb: add-export`);
  if (!doc.sections.some((s) => s.level === 1)) findings.add(1, 'no title: "# Proposal: …"');
  const filled = (title: RegExp, name: string) => {
    const part = sectionOf(doc, title);
    if (!part) findings.add(null, `no section "## ${name}"`);
    else if (part.body.every((l) => l.text.trim() === ''))
      findings.add(part.line, `${name} is empty`);
    return part;
  };
  filled(/^reason\b/i, 'Reason');
  const changes = filled(/^changes\b/i, 'Changes');
  filled(/^impact\b/i, 'Impact');
  const bullets = (changes?.body ?? []).filter((l) => !l.fenced && /^\s*[-*]\s/.test(l.text));
  const requirements = bullets.flatMap(({ text: line, n }) => {
    const [own] = idsIn(/^\s*[-*]\s+(FR-\d+)\s*[:：]/.exec(line)?.[1] ?? '', 'FR');
    if (own === undefined && /^[-*]/.test(line))
      findings.add(n, 'a change is "- FR-1: …", so that tasks can cite it');
    return own === undefined ? [] : [own];
  });
  if (changes && requirements.length === 0) findings.add(changes.line, 'no change "- FR-1: …"');
  for (const [i, one] of requirements.entries())
    if (requirements.indexOf(one) !== i) findings.add(null, `${one} is there twice`);
  const breaking = bullets.some((l) => /\bBREAKING\b/.test(l.text));
  return { requirements: [...new Set(requirements)], breaking, findings: findings.all() };
}

const ELEMENTS = ['Target', 'Purpose', 'Method', 'Depends', 'Content'];
const OPERATION =
  /\b(add|change|delete|create|modify|remove|update|rename|move|replace)\b|추가|변경|수정|삭제|新增|添加|修改|删除|变更/i;
const ONLY_TEST = /^(write|add|create)?\s*(unit |integration )?tests?\b|^테스트|^测试|^编写测试/i;

export function lintTasks(
  text: string,
  requirements: readonly string[],
): { boxes: Box[]; findings: Finding[] } {
  const findings = createFindings();
  const boxes = boxesOf(text);
  if (boxes.length === 0) findings.add(null, 'no task "- [ ] 1.1 …"');
  for (const box of boxes) {
    const fields = fieldsOf(box.body);
    const missing = ELEMENTS.filter((name) => !fields.get(name.toLowerCase())?.value);
    if (missing.length > 0)
      findings.add(box.line, `task ${box.number} has no ${missing.join(', ')}`);
    const method = fields.get('method');
    if (method && !OPERATION.test(method.value))
      findings.add(
        method.line,
        `task ${box.number}: Method says add, change or delete, and of what`,
      );
    const target = fields.get('target')?.value.replace(/^`|`$/g, '');
    if (target && /^\/|(^|\/)\.\.(\/|$)/.test(target))
      findings.add(box.line, `task ${box.number}: Target is a path in the workdir`);
    if (ONLY_TEST.test(box.title))
      findings.add(box.line, `task ${box.number} is only a test: it belongs to what it tests`);
  }
  const other = readDocument(text).sections.find(
    (s) => s.level === 2 && !/^\d|^tasks?\b/i.test(s.title),
  );
  if (other) findings.add(other.line, `task.md holds tasks only, not "${other.title}"`);
  const rest = [...lintOrder(boxes), ...lintTrace(boxes, requirements)];
  return { boxes, findings: [...findings.all(), ...rest] };
}

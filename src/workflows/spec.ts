// spec.md: what a feature does and for whom. Reads the ids that others cite, and names what is missing. Pure.
import {
  createFindings,
  type Document,
  type Finding,
  type Findings,
  fieldsOf,
  idsIn,
  readDocument,
  type Section,
  sectionOf,
} from './document.ts';

export type Spec = { feature: string | null; stories: string[]; requirements: string[] };

const STORY = /^US-(\d{1,4})\s*\((P\d)\)\s*[:：]\s*\S/;
const SCENARIO = /^\s*[-*]\s+(Normal|Error|Edge)\s*[:：]\s*(.*)$/;
const REQUIREMENT = /^\s*[-*]\s+FR-(\d{1,4})\b(.*)$/;
const CRITERION = /^\s*[-*]\s+SC-\d{1,4}\s*[:：]\s*(.*)$/;

function isDate(text: string): boolean {
  const [, y, m, d] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (y === undefined) return false;
  const date = new Date(Date.UTC(Number(y), Number(m) - 1, Number(d)));
  return date.toISOString().startsWith(text);
}

function lintHead(doc: Document, feature: string, findings: Findings): void {
  const fields = fieldsOf(doc.lines);
  if (!doc.sections.some((s) => s.level === 1)) findings.add(1, 'no title: "# Spec: …"');
  const named = findings.need(fields, 'Feature', 'the kebab-case name of the feature');
  if (named !== null && named !== feature)
    findings.add(fields.get('feature')?.line ?? null, `Feature is "${named}", not "${feature}"`);
  const created = findings.need(fields, 'Created', 'the date as YYYY-MM-DD');
  if (created !== null && !isDate(created))
    findings.add(
      fields.get('created')?.line ?? null,
      `Created is "${created}", no YYYY-MM-DD date`,
    );
  findings.need(fields, 'Request', "the user's words");
}

function lintScenarios(story: Section, findings: Findings): void {
  const count = { Normal: 0, Error: 0, Edge: 0 };
  for (const { text, n, fenced } of story.body) {
    const found = fenced ? null : SCENARIO.exec(text);
    if (!found) continue;
    count[found[1] as keyof typeof count] += 1;
    const parts = (found[2] ?? '').split(/→|->/).filter((part) => part.trim() !== '');
    if (parts.length !== 3)
      findings.add(n, 'a scenario is "condition → action → result", with two arrows');
  }
  const name = story.title.split(/\s/, 1)[0] ?? '';
  if (count.Normal < 3 || count.Normal > 5)
    findings.add(story.line, `${name} has ${count.Normal} normal scenarios; 3 to 5 are needed`);
  if (count.Error === 0) findings.add(story.line, `${name} has no error scenario`);
  if (count.Edge === 0) findings.add(story.line, `${name} has no edge scenario`);
}

function storiesOf(doc: Document, findings: Findings): string[] {
  const part = sectionOf(doc, /^user stories$/i);
  if (!part) findings.add(null, 'no section "## User stories"');
  const last = part ? (part.body.at(-1)?.n ?? part.line) : 0;
  const below = doc.sections.filter(
    (s) => part && s.level === 3 && s.line > part.line && s.line <= last,
  );
  if (part && below.length === 0) findings.add(part.line, 'no user story "### US-1 (P1): …"');
  const ids: string[] = [];
  for (const story of below) {
    const found = STORY.exec(story.title);
    if (!found) {
      findings.add(story.line, `"${story.title}" is no story "US-1 (P1): …"`);
      continue;
    }
    if (!/^P[1-3]$/.test(found[2] ?? ''))
      findings.add(story.line, `priority ${found[2]} is none of P1, P2, P3`);
    const id = `US-${Number(found[1])}`;
    if (ids.includes(id)) findings.add(story.line, `${id} is there twice`);
    ids.push(id);
    lintScenarios(story, findings);
  }
  return ids;
}

function requirementsOf(doc: Document, stories: readonly string[], findings: Findings): string[] {
  const part = sectionOf(doc, /^functional requirements$/i);
  if (!part) findings.add(null, 'no section "## Functional requirements"');
  const ids: string[] = [];
  const served = new Set<string>();
  for (const { text, n, fenced } of part?.body ?? []) {
    const found = fenced ? null : REQUIREMENT.exec(text);
    if (!found) continue;
    const id = `FR-${Number(found[1])}`;
    if (ids.includes(id)) findings.add(n, `${id} is there twice`);
    ids.push(id);
    const [, linked = '', said = ''] = /^\s*\(([^)]*)\)\s*[:：]\s*(.*)$/.exec(found[2] ?? '') ?? [];
    const cited = idsIn(linked, 'US');
    if (cited.length === 0 || said === '')
      findings.add(n, `${id} is not "FR-1 (US-1): …" with the stories it serves`);
    for (const story of cited) {
      served.add(story);
      if (!stories.includes(story)) findings.add(n, `${id} cites ${story}, which is no story`);
    }
  }
  if (part && ids.length === 0) findings.add(part.line, 'no requirement "- FR-1 (US-1): …"');
  for (const story of stories)
    if (part && !served.has(story)) findings.add(part.line, `${story} has no requirement`);
  return ids;
}

function lintCriteria(doc: Document, findings: Findings): void {
  const part = sectionOf(doc, /^success criteria$/i);
  if (!part) {
    findings.add(null, 'no section "## Success criteria"');
    return;
  }
  const criteria = part.body.filter((l) => !l.fenced && CRITERION.test(l.text));
  if (criteria.length === 0) findings.add(part.line, 'no criterion "- SC-1: …"');
  for (const { text, n } of criteria)
    if (!/\p{N}/u.test(CRITERION.exec(text)?.[1] ?? ''))
      findings.add(n, 'a success criterion is measured: it has a number');
}

export function readSpec(text: string, feature: string): { spec: Spec; findings: Finding[] } {
  const doc = readDocument(text);
  const findings = createFindings();
  lintHead(doc, feature, findings);
  const stories = storiesOf(doc, findings);
  const requirements = requirementsOf(doc, stories, findings);
  lintCriteria(doc, findings);
  const named = fieldsOf(doc.lines).get('feature')?.value ?? null;
  return { spec: { feature: named, stories, requirements }, findings: findings.all() };
}

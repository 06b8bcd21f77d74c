// plan.md: a designed feature in at most three pieces of work. Pure.
import { type Box, boxesOf } from './boxes.ts';
import { createFindings, type Finding, fieldsOf, readDocument } from './document.ts';
import { dependsOn, lintOrder } from './order.ts';
import { isKebab } from './paths.ts';
import { lintTrace } from './trace.ts';

const MOST_PIECES = 3;

export function lintPlan(
  text: string,
  feature: string,
  requirements: readonly string[],
): { boxes: Box[]; findings: Finding[] } {
  const doc = readDocument(text);
  const findings = createFindings();
  const fields = fieldsOf(doc.lines);
  const boxes = boxesOf(text);
  const change = findings.need(fields, 'Change', 'the id of the change, verb first');
  if (change !== null && !isKebab(change))
    findings.add(fields.get('change')?.line ?? null, `Change is "${change}", not kebab-case`);
  const named = findings.need(fields, 'Feature', 'the kebab-case name of the feature');
  if (named !== null && named !== feature)
    findings.add(fields.get('feature')?.line ?? null, `Feature is "${named}", not "${feature}"`);
  findings.need(fields, 'Spec', 'the path of spec.md');
  findings.need(fields, 'Design', 'the path of tech.md');
  if (boxes.length === 0) findings.add(null, 'no task "- [ ] 1. … (FR-1)"');
  if (boxes.length > MOST_PIECES)
    findings.add(boxes[MOST_PIECES]?.line ?? null, `${boxes.length} tasks; at most 3 are allowed`);
  const [first] = boxes;
  if (first && !fieldsOf(first.body).get('demo')?.value)
    findings.add(first.line, 'the first task can be shown: it has "- Demo: …"');
  if (first && (dependsOn(first) ?? []).length > 0)
    findings.add(first.line, 'the first task depends on no other');
  const rest = [...lintOrder(boxes), ...lintTrace(boxes, requirements)];
  return { boxes, findings: [...findings.all(), ...rest] };
}

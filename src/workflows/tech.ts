// tech.md: how a feature is built. Three views with a diagram each, decisions with their price, a place for each
// requirement. Pure.
import {
  createFindings,
  type Document,
  type Finding,
  type Findings,
  fieldsOf,
  idsIn,
  readDocument,
  sectionOf,
} from './document.ts';

const VIEWS = [
  ['Context', /^context\b/i],
  ['Containers', /^containers?\b/i],
  ['Components', /^components?\b/i],
] as const;
const PARTS = ['Status', 'Context', 'Decision', 'Consequences'];

function lintViews(doc: Document, findings: Findings): void {
  for (const [name, title] of VIEWS) {
    const view = sectionOf(doc, title);
    if (!view) findings.add(null, `no section "## ${name}"`);
    else if (!view.body.some((l) => l.fenced && /^\s*(`{3,}|~{3,})\s*mermaid\b/.test(l.text)))
      findings.add(view.line, `${name} has no mermaid diagram`);
  }
}

function lintDecisions(doc: Document, findings: Findings): void {
  const part = sectionOf(doc, /^decisions\b/i);
  if (!part) {
    findings.add(null, 'no section "## Decisions"');
    return;
  }
  const records = doc.sections.filter(
    (s) => s.level === 3 && /^ADR-\d+\s*[:：]\s*\S/.test(s.title),
  );
  if (records.length === 0) findings.add(part.line, 'no decision "### ADR-1: …"');
  for (const record of records) {
    const fields = fieldsOf(record.body);
    const missing = PARTS.filter((name) => !fields.get(name.toLowerCase())?.value);
    if (missing.length > 0)
      findings.add(
        record.line,
        `${record.title.split(/[:：]/, 1)[0]} has no ${missing.join(', ')}`,
      );
  }
}

/** `requirements`: those of the specification; each has its line here, and no other. */
export function lintTech(
  text: string,
  feature: string,
  requirements: readonly string[],
): Finding[] {
  const doc = readDocument(text);
  const findings = createFindings();
  const fields = fieldsOf(doc.lines);
  if (!doc.sections.some((s) => s.level === 1)) findings.add(1, 'no title: "# Tech: …"');
  const named = findings.need(fields, 'Feature', 'the kebab-case name of the feature');
  if (named !== null && named !== feature)
    findings.add(fields.get('feature')?.line ?? null, `Feature is "${named}", not "${feature}"`);
  findings.need(fields, 'Spec', 'the path of spec.md');
  lintViews(doc, findings);
  lintDecisions(doc, findings);
  const part = sectionOf(doc, /^requirements\b/i);
  if (!part) findings.add(null, 'no section "## Requirements" with a place for each');
  const placed = idsIn(part?.body.map((l) => l.text).join('\n') ?? '', 'FR');
  for (const id of requirements)
    if (part && !placed.includes(id)) findings.add(part.line, `${id} has no place`);
  for (const id of placed)
    if (!requirements.includes(id)) findings.add(part?.line ?? null, `${id} is not in spec.md`);
  return findings.all();
}

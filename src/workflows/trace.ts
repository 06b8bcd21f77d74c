// Traceability, both ways: every requirement is cited by a task, every task cites a requirement that exists. Pure.
import type { Box } from './boxes.ts';
import { type Finding, idsIn } from './document.ts';

/** Requirements that a box cites, in its title or below it. */
export const citedBy = (box: Box): string[] =>
  idsIn([box.title, ...box.body.map((l) => l.text)].join('\n'), 'FR');

export function lintTrace(boxes: readonly Box[], requirements: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const cited = new Set<string>();
  for (const box of boxes) {
    const ids = citedBy(box);
    for (const id of ids) cited.add(id);
    if (ids.length === 0)
      findings.push({ line: box.line, message: `task ${box.number} cites no requirement` });
    for (const id of ids)
      if (!requirements.includes(id))
        findings.push({
          line: box.line,
          message: `task ${box.number} cites ${id}, which does not exist`,
        });
  }
  for (const id of requirements)
    if (!cited.has(id)) findings.push({ line: null, message: `${id} is cited by no task` });
  return findings;
}

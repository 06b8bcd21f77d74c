import { describe, expect, it } from 'vitest';
import { boxesOf, withTicks } from '../../src/workflows/boxes.ts';
import { allBefore } from '../../src/workflows/order.ts';
import { lintPlan } from '../../src/workflows/plan.ts';
import { lintTasks, readProposal } from '../../src/workflows/proposal.ts';
import { readSpec } from '../../src/workflows/spec.ts';
import { lintTech } from '../../src/workflows/tech.ts';
import { PLAN, PROPOSAL, SPEC, TASKS, TECH } from './documents.ts';

const FRS = ['FR-1', 'FR-2'];
/** [what is changed, into what, what is said about it] */
type Broken = readonly [from: string | RegExp, to: string, said: string];
const messages = (findings: readonly { line: number | null; message: string }[]) =>
  findings.map((f) => `${f.line ?? '-'} ${f.message}`);

function each(text: string, lint: (text: string) => string[], broken: readonly Broken[]): void {
  it('in order has no findings, also with other line ends and a byte order mark', () => {
    expect(lint(text)).toEqual([]);
    expect(lint(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual([]);
  });
  for (const [from, to, said] of broken)
    it(`says "${said}"`, () => {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      expect(lint(changed)).toContain(said);
    });
}

describe('spec.md', () => {
  const lint = (text: string) => messages(readSpec(text, 'csv-export').findings);
  it('names its stories and requirements', () => {
    expect(readSpec(SPEC, 'csv-export').spec).toEqual({
      feature: 'csv-export',
      stories: ['US-1'],
      requirements: FRS,
    });
  });
  each(SPEC, lint, [
    [/^# .*/, '', '1 no title: "# Spec: …"'],
    ['csv-export', 'pdf', '2 Feature is "pdf", not "csv-export"'],
    ['2026-01-31', '2026-02-31', '3 Created is "2026-02-31", no YYYY-MM-DD date'],
    ['2026-01-31', 'yesterday', '3 Created is "yesterday", no YYYY-MM-DD date'],
    [/- Request.*/, '', '- no "- Request: …" (the user\'s words)'],
    [/- Normal: one.*\n/, '', '7 US-1 has 2 normal scenarios; 3 to 5 are needed'],
    [/- Error.*\n/, '', '7 US-1 has no error scenario'],
    [/- Edge.*\n/, '', '7 US-1 has no edge scenario'],
    [
      'one row → export',
      'one row',
      '10 a scenario is "condition → action → result", with two arrows',
    ],
    ['(P1)', '(P4)', '7 priority P4 is none of P1, P2, P3'],
    ['### US-1 (P1): Save', '### Save', '7 "Save a table" is no story "US-1 (P1): …"'],
    ['FR-2 (US-1)', 'FR-1 (US-1)', '17 FR-1 is there twice'],
    ['FR-2 (US-1)', 'FR-2 (US-7)', '17 FR-2 cites US-7, which is no story'],
    ['FR-2 (US-1):', 'FR-2:', '17 FR-2 is not "FR-1 (US-1): …" with the stories it serves'],
    ['## Functional requirements', '## Other', '- no section "## Functional requirements"'],
    [/- SC-1.*/, '- SC-1: it is fast', '20 a success criterion is measured: it has a number'],
    [/## Success[\s\S]*/, '', '- no section "## Success criteria"'],
  ]);
  it('takes nothing in a fenced block for structure', () => {
    const hidden = SPEC.replace('- FR-2', '```\n- FR-9 (US-1): x\n```\n- FR-2');
    expect(readSpec(hidden, 'csv-export').spec.requirements).toEqual(FRS);
  });
});

describe('tech.md', () => {
  each(TECH, (text) => messages(lintTech(text, 'csv-export', FRS)), [
    ['## Containers', '## Boxes', '- no section "## Containers"'],
    ['```mermaid', '```text', '5 Context has no mermaid diagram'],
    [/- Decision: .*/, '', '19 ADR-1 has no Decision'],
    ['### ADR-1', '### Choice', '18 no decision "### ADR-1: …"'],
    [/- FR-2.*/, '', '25 FR-2 has no place'],
    ['- FR-2', '- FR-7', '25 FR-7 is not in spec.md'],
    [/- Spec: .*/, '', '- no "- Spec: …" (the path of spec.md)'],
  ]);
});

describe('plan.md', () => {
  each(PLAN, (text) => messages(lintPlan(text, 'csv-export', FRS).findings), [
    ['(FR-2)', '', '10 task 2 cites no requirement'],
    ['(FR-2)', '', '- FR-2 is cited by no task'],
    ['(FR-2)', '(FR-2, FR-9)', '10 task 2 cites FR-9, which does not exist'],
    [/ {2}- Demo: run it and.*\n/, '', '7 the first task can be shown: it has "- Demo: …"'],
    ['Depends: none', 'Depends: 2', '7 the first task depends on no other'],
    ['Depends: none', 'Depends: 2', '7 task 1 depends on itself, through a circle'],
    ['Depends: 1', 'Depends: 5', '10 task 2 depends on 5, which does not exist'],
    ['- [ ] 2.', '- [ ] 1.', '10 task 1 is there twice'],
    ['add-csv-export', 'Add CSV', '2 Change is "Add CSV", not kebab-case'],
    [
      /- \[ \] 2[\s\S]*/,
      '- [ ] 2. (FR-2)\n- [ ] 3. (FR-2)\n- [ ] 4. (FR-2)\n',
      '12 4 tasks; at most 3 are allowed',
    ],
  ]);
});

describe('proposal.md and task.md', () => {
  each(PROPOSAL, (text) => messages(readProposal(text, 'add-export').findings), [
    ['## Reason', '## Why', '- no section "## Reason"'],
    [/Tables leave.*/, '', '2 Reason is empty'],
    ['FR-2: BREAKING', 'BREAKING', '6 a change is "- FR-1: …", so that tasks can cite it'],
  ]);
  it('the id of a change begins with a verb', () => {
    expect(readProposal(PROPOSAL, 'export-add').findings).toEqual([]);
    for (const id of ['the-export', 'Add-export', 'add_export', ''])
      expect(messages(readProposal(PROPOSAL, id).findings)[0]).toContain('begins with a verb');
    expect(readProposal(PROPOSAL, 'add-export')).toMatchObject({
      requirements: FRS,
      breaking: true,
    });
  });
  each(TASKS, (text) => messages(lintTasks(text, FRS).findings), [
    [/ {2}- Content: header.*\n/, '', '2 task 1.1 has no Content'],
    ['add function toCsv', 'toCsv', '5 task 1.1: Method says add, change or delete, and of what'],
    ['src/export.ts', '../export.ts', '2 task 1.1: Target is a path in the workdir'],
    [
      'Write rows as CSV',
      'Write unit tests',
      '2 task 1.1 is only a test: it belongs to what it tests',
    ],
    ['(FR-2)', '', '8 task 1.2 cites no requirement'],
    ['Depends: 1.1', 'Depends: 9.9', '8 task 1.2 depends on 9.9, which does not exist'],
    [
      '# Tasks: add-export',
      '# Tasks: add-export\n## Notes\nx',
      '2 task.md holds tasks only, not "Notes"',
    ],
  ]);
  it('takes Korean and Chinese words for what is done', () => {
    for (const method of ['toCsv 함수 추가', '新增函数 toCsv'])
      expect(lintTasks(TASKS.replace('add function toCsv', method), FRS).findings).toEqual([]);
  });
});

describe('boxes', () => {
  it('are read with number, title, tick and what stands below them', () => {
    const boxes = boxesOf('# T\n- [x] 1. one\n  - Demo: d\n* [ ] 1.2 two\n## Next\nnot theirs\n');
    expect(
      boxes.map(({ number, title, ticked, body }) => [number, title, ticked, body.length]),
    ).toEqual([
      ['1', 'one', true, 1],
      ['1.2', 'two', false, 0],
    ]);
    expect(boxesOf('```\n- [ ] 1. in a block\n```')).toEqual([]);
  });
  it('are set to exactly what is done, and nothing else changes', () => {
    const text = PLAN.replace('[ ] 2.', '[X] 2.').replaceAll('\n', '\r\n');
    const set = withTicks(text, new Set(['1']));
    expect(set).toBe(PLAN.replace('[ ] 1.', '[x] 1.').replaceAll('\n', '\r\n'));
    expect(withTicks(set, new Set(['1']))).toBe(set);
  });
  it('know what comes before them, through others too', () => {
    const boxes = boxesOf(
      '- [ ] 1 a\n - Depends: none\n- [ ] 2 b\n - Depends: 1\n- [ ] 3 c\n - Depends: 2\n',
    );
    expect([...allBefore('3', boxes)]).toEqual(['2', '1']);
  });
});

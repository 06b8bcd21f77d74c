// The planner: a plan that others can carry out: requirements that can be checked, items that serve them, an order.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const PLAN = `# Plan: export of invoices

## Goal

Accountants get all invoices of a month as one CSV file, so that they need not copy them by hand.

## Scope

In: CSV of one month. Out: PDF, other formats, sending by mail.

## Requirements

- R1: GET /invoices.csv?month=2026-11 answers with one line an invoice.
  - Given 3 invoices in November, when the month is 2026-11, then the file has 4 lines with the head.
  - Given no invoice, then the file has the head alone.
- R2: A month that is none is refused.
  - Given month=2026-13, then the answer is 400 and names the form YYYY-MM.
- R3: 10,000 invoices come within 2 s.

## Work items

- W1: \`src/csv.mjs\`, rows to CSV. Serves: R1. Depends on: nothing. Role: coder. Check: \`node --test test/csv.test.mjs\` passes.
- W2: the route in \`src/server.mjs\`. Serves: R1, R2. Depends on: W1. Role: backend. Check: \`node --test test/export.test.mjs\` passes.
- W3: a test with 10,000 invoices. Serves: R3. Depends on: W2. Role: coder. Check: \`node --test test/many.test.mjs\` ends within 2 s.

## Milestones

- M1, after W2: a month can be downloaded.
- M2, after W3: it is fast enough.

## Risks and open questions

- Assumed: amounts are whole cents, because \`src/invoices.mjs\` keeps them so. To be decided: comma or semicolon; proposal: comma.
`;
const CHECKED = `  - Given 10,000 invoices, when the month is asked for, then the last byte comes within 2 s.\n`;

const story: Story = {
  input: 'Plan an export of invoices as CSV for our accountants.',
  files: {
    'src/invoices.mjs':
      'export const all = () => [{ number: 1, cents: 1999, day: "2026-11-03" }];\n',
    'src/server.mjs':
      "import { all } from './invoices.mjs';\nexport const routes = { '/invoices': all };\n",
  },
  steps: {
    planner: [
      {
        sees: ['export of invoices'],
        calls: [
          ['glob', { pattern: '**/*' }],
          ['grep', { pattern: 'invoices|cents', show: 'count' }],
          ['brain_query', {}],
        ],
      },
      {
        sees: ['src/invoices.mjs\nsrc/server.mjs', 'src/invoices.mjs:1', 'There are no notes yet.'],
        calls: [
          ['read', { path: 'src/invoices.mjs' }],
          ['read', { path: 'src/server.mjs' }],
        ],
      },
      {
        sees: ['cents: 1999', "'/invoices': all"],
        calls: [
          ['write', { path: 'PLAN.md', content: PLAN }],
          ['grep', { pattern: 'Given', path: 'PLAN.md', context: 1 }],
        ],
      },
      {
        // R3 has no criterion: the search over its own plan shows it.
        sees: ['created PLAN.md', 'PLAN.md:17:  - Given month=2026-13', 'PLAN.md-18-- R3'],
        calls: [
          [
            'edit',
            {
              path: 'PLAN.md',
              old: '- R3: 10,000 invoices come within 2 s.\n',
              new: `- R3: 10,000 invoices come within 2 s.\n${CHECKED}`,
            },
          ],
          ['brain_record', { note: 'PLAN.md: amounts are whole cents; W2 needs W1.' }],
        ],
      },
      {
        sees: ['edited PLAN.md at line 18', 'Recorded as note'],
        says: '`PLAN.md`: 3 items, critical path W1, W2, W3. To decide: comma or semicolon.',
      },
    ],
  },
};

const section = (text: string, name: string): string =>
  text.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? '';

it('gives every requirement a criterion, every item a requirement, and an order without a hole', async () => {
  const { at, changed, result } = await tell(story);
  expect(changed()).toEqual(['PLAN.md']);
  const plan = at('PLAN.md');
  for (const name of ['Goal', 'Scope', 'Milestones', 'Risks and open questions'])
    expect(section(plan, name).trim()).not.toBe('');
  const requirements = section(plan, 'Requirements').split(/^- /m).slice(1);
  for (const one of requirements) expect(one).toMatch(/^R\d: [\s\S]*\n {2}- Given .* then /);
  const items = section(plan, 'Work items').split(/^- /m).slice(1);
  const named = (text: string, letter: string): string[] =>
    text.match(new RegExp(`\\b${letter}\\d\\b`, 'g')) ?? [];
  const served = new Set(
    items.flatMap((item) => named(/Serves: ([^.]*)/.exec(item)?.[1] ?? '', 'R')),
  );
  expect([...served].sort()).toEqual(requirements.map((text) => text.slice(0, 2)));
  for (const [i, item] of items.entries()) {
    const before = items.slice(0, i).map((text) => text.slice(0, 2));
    for (const needed of named(/Depends on: ([^.]*)/.exec(item)?.[1] ?? '', 'W'))
      expect(before).toContain(needed);
    expect(item).toMatch(/Role: (coder|backend)\. Check: `/);
  }
  for (const after of named(section(plan, 'Milestones'), 'W'))
    expect(plan).toContain(`- ${after}: `);
  expect(result).toContain('critical path');
}, 60_000);

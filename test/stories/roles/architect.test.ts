// The architect: a design with borders and interfaces, and a record of the decision behind it.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const DESIGN = `# Booking service

## Context

Guests book rooms over HTTP. Mails go out through an existing mail server. At most 200 bookings a day.

## Parts

| part | does | owns | depends on | never |
| --- | --- | --- | --- | --- |
| \`http\` | routes and their checks | nothing | \`bookings\` | touches the database |
| \`bookings\` | rules: no overlap, 30 days | the table bookings | \`store\` | sends mail |
| \`store\` | transactions | the file bookings.db | nothing | knows a rule |
| \`mail\` | sends what waits | the table outbox | \`store\` | decides who gets mail |

## Interfaces

\`\`\`js
// bookings
book({ room: string, from: 'YYYY-MM-DD', nights: integer 1..30 }): { id: string } | { refused: 'overlap' | 'too_far' }
// store
tx(work: (db) => T): T   // all or nothing, 5 s at most
\`\`\`

Example: \`book({ room: "7", from: "2026-12-01", nights: 2 })\` gives \`{ id: "b_1" }\`.

## Data flow

1. \`http\` checks the form, 400 when it is none.
2. \`bookings\` asks for an overlap and writes booking and mail in one transaction.
3. \`mail\` sends later; when it fails the row stays and is tried again. A repeated request finds its booking by its key.

## State

Everything is in bookings.db; a crash loses nothing that was acknowledged.

## Decisions

- docs/decisions/0002-outbox.md
`;
const ADR = `# 0002: Mails wait in a table

Status: accepted

## Context

A booking without its mail, or a mail without its booking, is the worst that can happen here.

## Decision

The mail is a row in the same transaction as the booking; a loop sends rows.

## Alternatives

Sending within the request: slow, and lost when the process ends. A queue service: one more thing to run for 200 bookings a day.

## Consequences

A mail may come twice. We would look again at 100,000 mails a day.
`;

const story: Story = {
  input: 'Design the booking service of PLAN.md, and record the decision about mails.',
  files: {
    'PLAN.md':
      '# Plan\n\n- R1: no two bookings of one room overlap\n- R2: each booking is confirmed by mail, once it is certain\n',
    'docs/decisions/0001-sqlite.md': '# 0001: SQLite\n\nStatus: accepted\n',
  },
  steps: {
    architect: [
      {
        sees: ['booking service'],
        calls: [
          ['read', { path: 'PLAN.md' }],
          ['list', { path: 'docs/decisions' }],
          ['memory_search', { query: 'booking mail decision', layer: 'project/context' }],
        ],
      },
      {
        sees: ['R2: each booking', '0001-sqlite.md\t', 'nothing is remembered'],
        calls: [['read', { path: 'docs/decisions/0001-sqlite.md' }]],
      },
      {
        sees: ['Status: accepted'],
        calls: [
          ['write', { path: 'docs/decisions/0002-outbox.md', content: ADR }],
          ['write', { path: 'ARCHITECTURE.md', content: DESIGN }],
          ['edit', { path: 'ARCHITECTURE.md', old: '| `store` |', new: '| `store`, read only |' }],
          [
            'memory_store',
            {
              layer: 'project',
              content:
                'Mails of bookings wait in a table, written in the transaction of the booking.',
            },
          ],
        ],
      },
      {
        // Named too little for one place, and the layer by its short name.
        sees: [
          'created docs/decisions/0002-outbox.md',
          'occurs 3 times in ARCHITECTURE.md (lines 12, 13, 14); nothing was changed',
          /stored: mem_\S+ in project\/context/,
        ],
        calls: [
          ['read', { path: 'ARCHITECTURE.md', offset: 14, limit: 1 }],
          [
            'edit',
            {
              path: 'ARCHITECTURE.md',
              old: 'outbox | `store` | decides',
              new: 'outbox | `store` | changes a booking, decides',
            },
          ],
        ],
      },
      {
        sees: [
          '    14\t| `mail` |',
          'lines 14-14 of 39',
          'edited ARCHITECTURE.md at line 14',
          'changes a booking, decides who gets mail',
        ],
        says: '`ARCHITECTURE.md` and `docs/decisions/0002-outbox.md`. Parts: http, bookings, store, mail. Open: how long mails are kept.',
      },
    ],
  },
};

it('names parts, owners and interfaces without a cycle, records the decision, and remembers it', async () => {
  const { at, changed, troupe } = await tell(story);
  expect(changed().sort()).toEqual(['ARCHITECTURE.md', 'docs/decisions/0002-outbox.md']);
  const design = at('ARCHITECTURE.md');
  const rows = [...design.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)];
  const done: string[] = [];
  const needs = new Map(
    rows.map(([, name = '', , , on = '']) => [name, on.match(/(?<=`)\w+(?=`)/g) ?? []]),
  );
  // Each part needs only parts that are there, and their order has a beginning.
  while (done.length < needs.size) {
    const next = [...needs].find(
      ([name, on]) => !done.includes(name) && on.every((one) => done.includes(one)),
    );
    expect(next).toBeDefined();
    done.push(next?.[0] ?? '');
  }
  expect(done).toHaveLength(4);
  for (const name of ['Context', 'Interfaces', 'Data flow', 'State', 'Decisions'])
    expect(design).toContain(`## ${name}\n`);
  for (const name of [
    'Status: accepted',
    '## Context',
    '## Decision',
    '## Alternatives',
    '## Consequences',
  ])
    expect(at('docs/decisions/0002-outbox.md')).toContain(name);
  const { data } = await troupe.call<{ data: { content: string; source: string }[] }>(
    'GET',
    '/v1/memory',
  );
  expect(data.map(({ content }) => content)).toEqual([expect.stringContaining('wait in a table')]);
}, 60_000);

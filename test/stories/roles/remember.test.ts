// The remember agent: it looks at a finished piece of work and proposes what is worth keeping; it stores nothing.
import { expect, it } from 'vitest';
import { LAYERS } from '../../../src/domain/memory.ts';
import { type Story, tell } from '../../support/role-story.ts';

type Proposal = {
  path: string;
  recommended_layer: string;
  rationale: string;
  suggested_memory_content: string;
};
const PROPOSALS: Proposal[] = [
  {
    path: 'docs/decisions/001-storage.md',
    recommended_layer: 'project/context',
    rationale: 'Every later change of the schema has to respect it.',
    suggested_memory_content:
      'Bookings live in one append-only table ordered by one integer, so that a reader can prove that it missed none. Rejected: a table per room (no common order).',
  },
  {
    path: 'PRD.md',
    recommended_layer: 'project/context',
    rationale: 'Names the limit that decides what is built.',
    suggested_memory_content:
      'A room may be booked at most 30 days ahead; two bookings of one room never overlap.',
  },
];

const story: Story = {
  input: 'The booking service is done. What of it should be remembered?',
  files: {
    'PRD.md': '# Bookings\n\nAt most 30 days ahead. Two bookings of one room never overlap.\n',
    'docs/decisions/001-storage.md':
      '# One table\n\nOne append-only table, ordered by one integer.\n',
    'src/bookings.mjs': 'export const LIMIT_DAYS = 30;\n',
    'package-lock.json': '{"lockfileVersion":3}\n',
    'node_modules/left/README.md': '# left\n',
    'build/out.log': 'built\n',
    '.env': 'API_KEY=sk-not-for-anybody\n',
  },
  steps: {
    remember: [
      {
        sees: ['What of it should be remembered?'],
        calls: [
          ['list', {}],
          ['glob', { pattern: '**/*.md' }],
          ['memory_search', { query: 'bookings rooms storage' }],
        ],
      },
      {
        sees: [
          'docs/',
          'PRD.md\t',
          'PRD.md\ndocs/decisions/001-storage.md',
          'nothing is remembered about that',
        ],
        lacks: ['node_modules/left/README.md'],
        calls: [
          ['read', { path: 'PRD.md' }],
          ['read', { path: 'docs/decisions/001-storage.md' }],
          ['grep', { pattern: 'LIMIT', glob: '*.mjs' }],
          ['memory_store', { layer: 'project/context', content: 'Bookings: 30 days.' }],
        ],
      },
      {
        sees: [
          'At most 30 days ahead',
          'ordered by one integer',
          'src/bookings.mjs:1:',
          'unknown tool "memory_store"',
        ],
        says: `\`\`\`json\n${JSON.stringify({ recommendations: PROPOSALS }, null, 2)}\n\`\`\`\n\nproject/context\n- docs/decisions/001-storage.md: why there is one table\n- PRD.md: the limit of 30 days`,
      },
    ],
  },
};

it('proposes the documents that matter as one block of JSON, and stores nothing itself', async () => {
  const { result, files, troupe, offered } = await tell(story);
  const blocks = [...result.matchAll(/```json\n([\s\S]*?)```/g)];
  expect(blocks).toHaveLength(1);
  const { recommendations } = JSON.parse(blocks[0]?.[1] ?? '') as { recommendations: Proposal[] };
  expect(recommendations.map(({ path }) => path).sort()).toEqual([
    'PRD.md',
    'docs/decisions/001-storage.md',
  ]);
  for (const { path, recommended_layer, suggested_memory_content } of recommendations) {
    expect(Object.keys(story.files)).toContain(path);
    expect(LAYERS).toContain(recommended_layer);
    expect(suggested_memory_content.length).toBeLessThanOrEqual(800);
  }
  expect(files()).toEqual(story.files);
  expect((await troupe.call<{ data: unknown[] }>('GET', '/v1/memory')).data).toEqual([]);
  const writing = ['write', 'edit', 'shell', 'memory_store', 'memory_correct'];
  expect(offered('remember').filter((name) => writing.includes(name))).toEqual([]);
}, 60_000);

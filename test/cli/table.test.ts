import { expect, it } from 'vitest';
import { displayWidth } from '../../src/cli/clean.ts';
import { tableLines } from '../../src/cli/table.ts';
import { treeLines } from '../../src/cli/tree.ts';

const ID = '0198c0de-0000-7000-8000-000000000002';
const rows = [
  { id: ID, text: 'a very long description that does not fit into a narrow terminal at all' },
  { id: ID, text: '할 일 목록을 위한 작은 REST API를 테스트와 함께 만들어 주세요' },
];
const spec = [
  { title: 'TASK', value: (r: (typeof rows)[0]) => r.id },
  { title: 'DESCRIPTION', value: (r: (typeof rows)[0]) => r.text, cut: true },
];

it('fits a table to the terminal by cutting descriptions, never ids', () => {
  const lines = tableLines(rows, spec, 80);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  for (const line of lines.slice(1)) {
    expect(line).toContain(ID);
    expect(line).toContain('…');
  }
});

it('keeps ids whole even where nothing fits', () => {
  for (const line of tableLines(rows, spec, 20).slice(1)) expect(line).toContain(ID);
});

it('cuts nothing when the output is no terminal', () => {
  expect(tableLines(rows, spec, null)[1]).toContain('narrow terminal at all');
});

it('draws a tree with full ids and what each node waits for', () => {
  const task = { id: ID, kind: 'task', label: 'backend agent #1', status: 'created', children: [] };
  const lines = treeLines(
    {
      ...{
        id: 'q',
        kind: 'query',
        label: 'main agent',
        status: 'running',
        description: 'build it',
      },
      children: [{ ...task, waiting: 'slot', children: [{ ...task, id: 'inner' }] }, task],
    },
    null,
  );
  expect(lines).toEqual([
    'main agent  running  q  build it',
    `├─ backend agent #1  created (slot)  ${ID}`,
    '│  └─ backend agent #1  created  inner',
    `└─ backend agent #1  created  ${ID}`,
  ]);
});

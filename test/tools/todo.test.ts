import { expect, it } from 'vitest';
import { checkCall } from '../../src/agent/check-call.ts';
import { todo } from '../../src/tools/todo.ts';
import { toolKit } from './tool-context.ts';

const call = (args: unknown) =>
  checkCall({ id: 'c', name: 'todo', arguments: JSON.stringify(args) }, [todo], false);

it('shows the list back, and what is done of it', async () => {
  const { ok, content, summary } = await toolKit().call('todo', {
    items: [
      { text: 'read the code', status: 'done' },
      { text: 'write\n the test', status: 'in_progress' },
      { text: 'run it', status: 'pending' },
    ],
  });
  expect(ok).toBe(true);
  expect(content).toBe('1. [x] read the code\n2. [>] write the test\n3. [ ] run it\n1 of 3 done.');
  expect(summary).toBe('todo: 1 of 3 done, now: write the test');
});

it('each call replaces the list', async () => {
  const { call: run } = toolKit();
  await run('todo', { items: [{ text: 'old', status: 'pending' }] });
  const { content } = await run('todo', { items: [{ text: 'new', status: 'done' }] });
  expect(content).toBe('1. [x] new\n1 of 1 done.');
  expect((await run('todo', { items: [] })).content).toBe('The list is empty.');
  expect((await run('todo', { items: [{ text: ' ', status: 'done' }] })).ok).toBe(false);
});

it('takes at most 50 items and only the three states', () => {
  const items = (n: number) => Array.from({ length: n }, () => ({ text: 'x', status: 'pending' }));
  expect(call({ items: items(50) }).ok).toBe(true);
  expect(call({ items: items(51) })).toMatchObject({
    message: expect.stringContaining('at most 50'),
  });
  expect(call({ items: [{ text: 'x', status: 'doing' }] })).toMatchObject({
    message: expect.stringContaining('"pending", "in_progress", "done"'),
  });
});

import { describe, expect, it } from 'vitest';
import { viewOf } from '../../src/domain/compaction.ts';
import type { Message, Summary } from '../../src/domain/message.ts';

const summary = (text: string, tail: number, clip: number | null = null): Message => ({
  role: 'user',
  kind: 'notice',
  content: text,
  summary: {
    ...{ text, said: [], open_tasks: [], tail, clip, count: 1 },
    ...{ before_tokens: 10, after_tokens: 5, by: 'model', why: 'threshold' },
  } as Summary,
});
const user = (content: string): Message => ({ role: 'user', content });
const turn = (n: number): Message[] => [
  {
    role: 'assistant',
    content: `turn ${n}`,
    tool_calls: [{ id: `c${n}`, name: 'read', arguments: '{}' }],
  },
  { role: 'tool', tool_call_id: `c${n}`, tool_name: 'read', content: `result ${n} `.repeat(100) },
];
const texts = (messages: Message[]): string[] => messages.map((m) => m.content.slice(0, 9).trim());

describe('the view of a thread', () => {
  it('a thread without a summary is seen as it is', () => {
    const thread = [user('do it'), ...turn(1), ...turn(2)];
    expect(viewOf(thread)).toEqual(thread);
  });

  it('the first and the latest request, the summary, and the tail stay', () => {
    const thread = [user('first'), ...turn(1), user('again'), ...turn(2), ...turn(3)];
    const view = viewOf([...thread, summary('S1', 2), ...turn(4)]);
    expect(texts(view)).toEqual([
      ...['first', 'S1', 'again', 'turn 3', 'result 3', 'turn 4', 'result 4'],
    ]);
  });

  it('a later summary takes the place of the one before', () => {
    const thread = [user('first'), ...turn(1), summary('S1', 2), ...turn(2), ...turn(3)];
    expect(texts(viewOf([...thread, summary('S2', 2), ...turn(4)]))).toEqual([
      ...['first', 'S2', 'turn 3', 'result 3', 'turn 4', 'result 4'],
    ]);
  });

  it('tool results of the tail are cut where the summary says so, calls never lose theirs', () => {
    const view = viewOf([user('first'), ...turn(1), ...turn(2), summary('S1', 2, 600)]);
    expect(texts(view)).toEqual(['first', 'S1', 'turn 2', 'result 2']);
    const [, , call, result] = view;
    expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(600);
    expect(result?.content).toContain('bytes left out here; it was shortened to fit the context');
    expect(call).toMatchObject({ tool_calls: [{ id: 'c2' }] });
  });
});

import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/message.ts';
import { INTERRUPTED, NOT_STARTED, repairThread } from '../../src/domain/thread.ts';

const call = (id: string) => ({ id, name: 'shell', arguments: '{}' });
const asks: Message = { role: 'assistant', content: '', tool_calls: [call('c1'), call('c2')] };
const answer = (id: string): Message => ({
  role: 'tool',
  tool_call_id: id,
  tool_name: 'shell',
  content: 'ok',
});

describe('repairThread', () => {
  it('leaves a whole thread as it is', () => {
    const thread: Message[] = [{ role: 'user', content: 'hi' }, asks, answer('c1'), answer('c2')];
    expect(repairThread(thread, new Set())).toEqual(thread);
  });

  it('answers a started call with "may or may not have taken effect" and an unstarted one with "no effect"', () => {
    const fixed = repairThread([asks, answer('c1')], new Set(['c1', 'c2']));
    expect(fixed[2]).toMatchObject({ tool_call_id: 'c2', content: INTERRUPTED, is_error: true });
    expect(repairThread([asks], new Set())[1]).toMatchObject({ content: NOT_STARTED });
  });

  it('gives a call the answer that is still known, which is no error', () => {
    const known = new Map([['c2', 'task_id: 7']]);
    const fixed = repairThread([asks], new Set(['c1', 'c2']), '', known);
    expect(fixed[1]).toMatchObject({ tool_call_id: 'c1', is_error: true });
    expect(fixed[2]).toEqual({ ...answer('c2'), content: 'task_id: 7' });
  });

  it('puts the answers before the message that follows', () => {
    const fixed = repairThread([asks, { role: 'user', content: 'new' }], new Set(['c1']));
    expect(fixed.map((m) => m.role)).toEqual(['assistant', 'tool', 'tool', 'user']);
  });
});

import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/agent/loop.ts';
import { modelFallback } from '../../src/agent/middleware/model-fallback.ts';
import { noUsage } from '../../src/domain/message.ts';
import type { Tool } from '../../src/domain/tool.ts';
import { agentRun, fakeTool, limits, scriptedHost, type Turn } from './scripted-host.ts';

const go = async (script: Parameters<typeof scriptedHost>[0], more = {}) => {
  const host = scriptedHost(script);
  const kit = agentRun(host, more);
  const outcome = await runAgent(kit.run);
  return { host, outcome, ...kit };
};

describe('ends that are not success', () => {
  const blanks: Turn[] = [{}, { text: ' \n ' }, { reasoning: 'hm' }];
  it.each(blanks)('an empty answer %j gets one nudge, then the run failed', async (turn) => {
    const { host, outcome } = await go([turn, turn]);
    expect(outcome).toMatchObject({ status: 'failed', end_reason: 'empty', text: '' });
    expect(outcome.error?.code).toBe('empty_answer');
    expect(host.of('model')[1]?.request.messages.at(-1)).toMatchObject({
      role: 'user',
      kind: 'notice',
    });
  });

  it('after a nudge an answer is a success; work done before an empty end is kept', async () => {
    expect((await go([{}, { text: 'here' }])).outcome.status).toBe('completed');
    const { outcome } = await go([{ text: 'found 3 bugs', calls: [['read', {}]] }, {}, {}], {
      tools: [fakeTool('read')],
    });
    expect(outcome).toMatchObject({ status: 'failed', end_reason: 'empty', text: 'found 3 bugs' });
  });

  it('a refusal, an error chunk, a broken stream', async () => {
    expect((await go([{ text: 'I cannot', finish: 'refusal' }])).outcome).toMatchObject({
      status: 'failed',
      end_reason: 'refused',
      error: { code: 'model_refused' },
      text: 'I cannot',
    });
    const error = { type: 'error', code: 'model_timeout', message: 'too slow' } as const;
    expect((await go([{ text: 'half', error }])).outcome).toMatchObject({
      status: 'failed',
      end_reason: 'error',
      error: { code: 'model_timeout', message: 'too slow' },
    });
    expect((await go([])).outcome.error?.code).toBe('model_error');
  });

  it('a model error is the end: who calls models has asked every other one before', async () => {
    const tool = fakeTool('write');
    const error = { type: 'error', code: 'context_overflow', message: 'too long' } as const;
    const { host, outcome } = await go([{ calls: [['write', {}]] }, { error }], {
      tools: [tool],
      chain: [modelFallback()],
    });
    expect(tool.seen).toHaveLength(1);
    expect(host.of('model')).toHaveLength(2);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } });
  });

  it('an answer that begins anew is the new one alone', async () => {
    const host = scriptedHost([]);
    host.host.model = async function* () {
      yield { type: 'text', text: 'half of' };
      yield { type: 'tool_call', call: { id: 'a', name: 'write', arguments: '{}' } };
      yield { type: 'restart', reason: 'it broke off' };
      yield { type: 'text', text: 'all of it' };
      yield { type: 'end', finish: 'stop', model: 'test:two', usage: noUsage() };
    };
    const outcome = await runAgent(agentRun(host, {}).run);
    expect(outcome).toMatchObject({ status: 'completed', text: 'all of it', model: 'test:two' });
  });

  it('a model that says nothing, also after a nudge, is left for the next one', async () => {
    const { host, outcome } = await go(
      (_, { after }) => (after === undefined ? {} : { text: `after ${after}`, model: 'test:two' }),
      { chain: [modelFallback()] },
    );
    expect(host.of('model').map((c) => c.request.after)).toEqual([
      undefined,
      undefined,
      'test:one',
    ]);
    expect(outcome).toMatchObject({ status: 'completed', text: 'after test:one' });
    expect(host.of('policy').map((c) => c.note)).toMatchObject([
      { action: 'fallback', reason: expect.stringContaining('test:two was asked instead') },
    ]);
  });

  it('with nobody left who could be asked it is the same failure as ever', async () => {
    const left = { type: 'error', code: 'empty_answer', message: 'no other model' } as const;
    const chain = () => [modelFallback()];
    const told = await go((_, { after }) => (after ? { error: left } : {}), { chain: chain() });
    const silent = await go([{}, {}, {}], { chain: chain() });
    for (const { outcome } of [told, silent])
      expect(outcome).toMatchObject({ end_reason: 'empty', error: { code: 'empty_answer' } });
    expect(told.host.of('policy')).toEqual([]);
  });

  it('a text that was cut says so', async () => {
    const { outcome } = await go([{ text: 'half of it', finish: 'length' }]);
    expect(outcome.status).toBe('completed');
    expect(outcome.text).toMatch(/^half of it\n\n\[The answer was cut/);
  });

  it('the iteration cap keeps what is there', async () => {
    const { host, outcome } = await go(
      (n) => ({ text: `step ${n}`, calls: [['read', { x: n }]] }),
      {
        tools: [fakeTool('read', ({ x }) => `${x}`)],
        limits: { ...limits, max_iterations: 5 },
      },
    );
    expect(host.of('model')).toHaveLength(5);
    expect(outcome).toMatchObject({
      status: 'failed',
      end_reason: 'iteration_cap',
      text: 'step 4',
      iterations: 5,
    });
    expect(host.of('step')).toHaveLength(5);
  });
});

describe('no progress', () => {
  const steps = (turn: (n: number) => Turn) => (n: number) => (n > 30 ? { text: 'end' } : turn(n));
  it('the third repetition warns, the next one ends the run', async () => {
    const { host, outcome } = await go(
      steps((n) => ({
        text: `try ${n}`,
        calls: [['read', n % 2 ? { x: 1, y: 2 } : { y: 2, x: 1 }]],
      })),
      { tools: [fakeTool('read', () => 'same')] },
    );
    expect(outcome).toMatchObject({ status: 'failed', end_reason: 'no_progress' });
    expect(host.of('model')).toHaveLength(4);
    const warned = host.stored().filter((m) => m.role === 'tool' && m.content.includes('[warning'));
    expect(warned).toHaveLength(1);
  });

  it('changing results, and waiting for tasks, are progress', async () => {
    const changing = await go(
      steps(() => ({ calls: [['read', {}]] })),
      {
        tools: [fakeTool('read', (_a, n) => `${n} done`)],
      },
    );
    expect(changing.outcome.status).toBe('completed');
    const waiting = await go(
      steps(() => ({ calls: [['check_async_task', {}]] })),
      {
        tools: [fakeTool('check_async_task', () => 'running')],
      },
    );
    expect(waiting.outcome.status).toBe('completed');
  });

  it('waiting for a job of its own is progress, and what is read between the waits too', async () => {
    const patient: Tool = {
      ...fakeTool('shell'),
      run: async () => ({ ok: true, content: '(no output)', summary: '', waited: true }),
    };
    const { outcome } = await go(
      steps((n) => ({ calls: [[n % 2 ? 'shell' : 'read', {}]] })),
      { tools: [patient, fakeTool('read', () => 'building')] },
    );
    expect(outcome.status).toBe('completed');
    const forEver = await go(() => ({ calls: [['shell', {}]] }), {
      ...{ tools: [patient], limits: { ...limits, max_iterations: 100 } },
    });
    expect(forEver.outcome.end_reason).toBe('no_progress');
    expect(forEver.host.of('model')).toHaveLength(61);
  });

  it('a cycle of three, and results that differ only in their duration, are none', async () => {
    const cycle = await go(
      steps((n) => ({ calls: [['read', { x: n % 3 }]] })),
      {
        tools: [fakeTool('read', () => 'same')],
      },
    );
    expect(cycle.outcome.end_reason).toBe('no_progress');
    expect(cycle.host.of('model')).toHaveLength(10);
    const times = await go(
      steps(() => ({ calls: [['shell', {}]] })),
      {
        tools: [fakeTool('shell', (_a, n) => `out\n[exit code 1, 0.${n} s]`)],
      },
    );
    expect(times.outcome.end_reason).toBe('no_progress');
  });

  it('repetitions in the one step that brings the warning do not end the run', async () => {
    const { outcome } = await go(
      [
        { calls: Array.from({ length: 5 }, () => ['read', {}] as [string, unknown]) },
        { text: 'ok' },
      ],
      { tools: [fakeTool('read', () => 'same')] },
    );
    expect(outcome.status).toBe('completed');
  });
});

describe('budget notes', () => {
  it('one caution and one warning reach the model and are never stored', async () => {
    const { host } = await go((n) => ({ calls: [['read', { x: n }]] }), {
      tools: [fakeTool('read', ({ x }) => `${x}`)],
      limits: { ...limits, max_iterations: 20 },
    });
    const seen = host.of('model').map((c) => {
      const notes = c.request.messages.filter((m) => m.content.includes('[budget'));
      return notes.length === 0
        ? ''
        : `${notes.length}${notes[0]?.content.includes('warning') ? 'w' : 'c'}`;
    });
    expect(seen.join(',')).toBe(`${','.repeat(14)}1c,,,,1w,`);
    expect(JSON.stringify(host.stored())).not.toContain('[budget');
  });

  /** Which notes the requests of a run hold that goes on from where it was. */
  const resumed = async (iterations: number, answers: number): Promise<string[]> => {
    const asked = { id: 'c0', name: 'read', arguments: '{}' };
    const { host, outcome } = await go((n) => ({ calls: [['read', { x: n }]] }), {
      tools: [fakeTool('read', ({ x }) => `${x}`)],
      limits: { ...limits, max_iterations: 20 },
      messages: [
        { role: 'user', content: 'do it' },
        { role: 'assistant', content: '', tool_calls: [asked] },
        { role: 'tool', tool_call_id: 'c0', tool_name: 'read', content: 'x' },
      ],
      begun: { iterations, answers },
    });
    expect(outcome).toMatchObject({ end_reason: 'iteration_cap', iterations: 20 });
    expect(JSON.stringify(host.stored())).not.toContain('[budget');
    return host.of('model').map(({ request }) => {
      const notes = request.messages.filter((m) => m.content.includes('[budget'));
      return notes.map((m) => (m.content.includes('warning') ? 'warning' : 'caution')).join();
    });
  };

  it('after a crash the budget goes on where it was, and a note that was heeded is not repeated', async () => {
    // 16 of 20 are used, the caution of the 15th request has its answer on the thread.
    expect(await resumed(16, 16)).toEqual(['', '', 'warning', '']);
    // Before 70 % both are still to come.
    expect(await resumed(12, 12)).toEqual(['', '', 'caution', '', '', '', 'warning', '']);
    expect(await resumed(19, 19)).toEqual(['']);
  });

  it('after a crash a note whose answer was lost is said again', async () => {
    // The 15th request had the caution; its answer never came.
    expect(await resumed(15, 14)).toEqual(['caution', '', '', 'warning', '']);
    expect(await resumed(19, 18)).toEqual(['warning']);
  });
});

import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/agent/loop.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Tool } from '../../src/domain/tool.ts';
import { until } from '../support/until.ts';
import { agentRun, fakeTool, limits, scriptedHost } from './scripted-host.ts';

const go = async (script: Parameters<typeof scriptedHost>[0], more = {}) => {
  const host = scriptedHost(script);
  const kit = agentRun(host, more);
  const outcome = await runAgent(kit.run);
  return { host, outcome, ...kit };
};

describe('steering', () => {
  it('a message goes in before the next model step; one during the last step is not lost', async () => {
    const host = scriptedHost((n) => {
      if (n === 0) {
        expect(steering.push('use tabs')).toBe('delivered');
        return { calls: [['read', {}]] };
      }
      if (n === 1) {
        steering.push('in Korean');
        return { text: 'done' };
      }
      return { text: '끝' };
    });
    const { run, steering } = agentRun(host, { tools: [fakeTool('read')] });
    const outcome = await runAgent(run);
    const requests = host.of('model').map((c) => c.request.messages.at(-1));
    expect(requests[1]).toMatchObject({ role: 'user', kind: 'notice' });
    expect(requests[1]?.content).toContain('use tabs');
    expect(requests[2]?.content).toContain('in Korean');
    expect(outcome.text).toBe('끝');
    expect(JSON.stringify(host.stored())).toContain('in Korean');
    expect(steering.push('late')).toBe('missed');
  });
});

describe('stopping', () => {
  it('an abort during the model call ends as cancelled and keeps the text so far out of the thread', async () => {
    const host = scriptedHost([{ text: 'half', hang: true }]);
    const { run, control } = agentRun(host);
    const work = runAgent(run);
    await until(() => host.of('model').length === 1, 5_000, 'the model call');
    control.abort(new AppError('cancelled', 'the user asked'));
    expect(await work).toMatchObject({
      status: 'cancelled',
      end_reason: 'cancelled',
      error: { code: 'cancelled', message: 'the user asked' },
    });
    expect(host.of('result')[0]?.last).toBeNull();
  });

  it('after an abort no further call of the step starts', async () => {
    const seen: unknown[] = [];
    const tool = fakeTool('write', ({ x }) => {
      seen.push(x);
      control.abort();
      return 'done';
    });
    const host = scriptedHost([
      {
        calls: [
          ['write', { x: 1 }],
          ['write', { x: 2 }],
        ],
      },
    ]);
    const { run, control } = agentRun(host, { tools: [tool] });
    expect((await runAgent(run)).status).toBe('cancelled');
    expect(seen).toEqual([1]);
    expect(host.of('model')).toHaveLength(1);
  });

  it('the total time ends the run as a timeout', async () => {
    const { outcome } = await go([{ hang: true }], { limits: { ...limits, timeout_s: 0.05 } });
    expect(outcome).toMatchObject({
      status: 'failed',
      end_reason: 'timeout',
      error: { code: 'run_timeout' },
    });
  });

  it('a run that main has fenced off ends and does not run the tool', async () => {
    const host = scriptedHost([{ calls: [['write', {}]] }]);
    host.host.toolStarted = async () => {
      throw new AppError('unauthorized', 'this run is over');
    };
    const tool = fakeTool('write');
    const outcome = await runAgent(agentRun(host, { tools: [tool] }).run);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } });
    expect(tool.seen).toEqual([]);
  });
});

describe('resumption', () => {
  it('a call without a result is answered as interrupted', async () => {
    const tool = fakeTool('write');
    const { host } = await go([{ text: 'ok' }], {
      tools: [tool],
      first_step: 3,
      messages: [
        { role: 'user', content: 'do it' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'a', name: 'write', arguments: '{}' },
            { id: 'b', name: 'write', arguments: '{}' },
          ],
        },
        { role: 'tool', tool_call_id: 'a', tool_name: 'write', content: 'done' },
        { role: 'user', content: 'and now?' },
      ],
    });
    expect(tool.seen).toEqual([]);
    const seen = host.of('model')[0]?.request.messages ?? [];
    expect(seen.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(seen[4]?.content).toContain('may or may not have taken effect');
    // The repair is made anew at every start: the thread itself keeps what really happened.
    expect(host.of('result')[0]?.last).toMatchObject({
      step: 3,
      messages: [{ role: 'assistant' }],
    });
  });
});

describe('a run that waits for a person', () => {
  it('does not use up its time while it waits', async () => {
    const asks: Tool = {
      ...fakeTool('ask'),
      run: async (_args, ctx) => {
        await ctx.untimed(() => new Promise((resolve) => setTimeout(resolve, 1_200)));
        return { ok: true, content: 'answer: yes', summary: 'asked' };
      },
    };
    const script = [{ calls: [['ask', {}]] as [string, unknown][] }, { text: 'done' }];
    const given = { tools: [asks], limits: { ...limits, timeout_s: 1 } };
    const { outcome } = await go(script, given);
    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
  });

  it('is left with its call open: whoever goes on gets the answer there', async () => {
    const control = new AbortController();
    const asks: Tool = {
      ...fakeTool('ask'),
      run: async () => {
        control.abort();
        return { ok: false, content: 'stopped', summary: 'stopped', unanswered: true };
      },
    };
    const script = [{ calls: [['ask', {}, 'c1']] as [string, unknown, string][] }];
    const { host } = await go(script, { tools: [asks], signal: control.signal });
    const roles = host.stored().map((m) => m.role);
    expect(roles).toEqual(['assistant']);
  });
});

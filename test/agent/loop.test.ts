import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/agent/loop.ts';
import { AppError } from '../../src/domain/errors.ts';
import { agentRun, fakeTool, scriptedHost } from './scripted-host.ts';

const go = async (script: Parameters<typeof scriptedHost>[0], more = {}) => {
  const host = scriptedHost(script);
  const kit = agentRun(host, more);
  const outcome = await runAgent(kit.run);
  return { host, outcome, ...kit };
};
const lastToolText = (host: ReturnType<typeof scriptedHost>): string =>
  host.stored().findLast((m) => m.role === 'tool')?.content ?? '';

describe('the calls to main', () => {
  it('a text answer is one model call and one result that carries it', async () => {
    const { host, outcome } = await go([{ text: '안녕하세요 👋' }]);
    expect(host.ops()).toBe('model result');
    expect(outcome).toMatchObject({
      status: 'completed',
      end_reason: 'goal',
      text: '안녕하세요 👋',
      error: null,
      iterations: 1,
      model: 'test:one',
      usage: { input_tokens: 10, output_tokens: 5, model_calls: 1 },
      background_left: [],
    });
    expect(host.of('result')[0]?.last).toEqual({
      step: 0,
      messages: [{ role: 'assistant', content: '안녕하세요 👋' }],
      delivered: [],
    });
    expect(host.of('model')[0]?.request.messages[0]).toEqual({
      role: 'system',
      content: 'You are a test.',
    });
  });

  it('tools: noted with the model step before they run, checkpointed with receipts after', async () => {
    const order: string[] = [];
    const tool = fakeTool('write', () => {
      order.push('ran');
      return 'written';
    });
    const host = scriptedHost([{ text: 'I write', calls: [['write', { x: 1 }]] }, { text: 'ok' }]);
    const started = host.host.toolStarted;
    host.host.toolStarted = async (start) => {
      await started(start);
      order.push('noted');
    };
    await runAgent(agentRun(host, { tools: [tool], first_step: 7 }).run);
    expect(order).toEqual(['noted', 'ran']);
    expect(host.ops()).toBe('model started step model result');
    const start = host.of('started')[0]?.start;
    expect(start?.calls).toEqual([{ id: 'c1', name: 'write', arguments: '{"x":1}' }]);
    expect(start?.step).toMatchObject({
      step: 7,
      messages: [{ role: 'assistant', content: 'I write' }],
    });
    const step = host.of('step')[0];
    expect(step?.delta).toMatchObject({
      step: 8,
      messages: [{ role: 'tool', tool_call_id: 'c1', tool_name: 'write', content: 'written' }],
    });
    expect(step?.receipts).toMatchObject([
      { id: 'c1', name: 'write', ok: true, summary: 'write did it', exit_code: null },
    ]);
    expect(host.of('result')[0]?.last?.step).toBe(9);
  });

  it('reads of one step run beside each other, others in their order', async () => {
    const events: string[] = [];
    const slow = (name: string) => ({
      ...fakeTool(name),
      async run(args: Record<string, unknown>) {
        events.push(`${name}${args.x} begins`);
        await new Promise((resolve) => setTimeout(resolve, 30));
        events.push(`${name}${args.x} ends`);
        return { ok: true, content: `${args.x}`, summary: '' };
      },
    });
    const { host } = await go(
      [
        {
          calls: [
            ['read', { x: 1 }],
            ['read', { x: 2 }],
            ['write', { x: 3 }],
            ['write', { x: 4 }],
          ],
        },
        { text: 'ok' },
      ],
      { tools: [slow('read'), slow('write')] },
    );
    expect(events.slice(0, 2)).toEqual(['read1 begins', 'read2 begins']);
    expect(events.slice(4)).toEqual([
      'write3 begins',
      'write3 ends',
      'write4 begins',
      'write4 ends',
    ]);
    const contents = host
      .stored()
      .filter((m) => m.role === 'tool')
      .map((m) => m.content);
    expect(contents).toEqual(['1', '2', '3', '4']);
  });

  it('ids that a model repeats or leaves out become unique', async () => {
    const { host } = await go(
      [
        {
          calls: [
            ['write', { x: 1 }, 'call_0'],
            ['write', { x: 2 }, 'call_0'],
          ],
        },
        {
          calls: [
            ['write', { x: 3 }, 'call_0'],
            ['write', { x: 4 }, ''],
          ],
        },
        { text: 'ok' },
      ],
      { tools: [fakeTool('write', ({ x }) => `${x}`)] },
    );
    const ids = host.of('started').flatMap((c) => c.start.calls.map((call) => call.id));
    expect(ids).toEqual(['call_0', 'call_0_2', 'call_0_3', 'call']);
  });
});

describe('arguments', () => {
  const bad = ['{"x":', '[]', 'null', '{"x":1,}', '{"x":"one"}'];
  it.each(bad)(
    '%s: the tool does not run, the model gets the error and the schema',
    async (args) => {
      const tool = fakeTool('write');
      const { host, outcome } = await go([{ calls: [['write', args]] }, { text: 'ok' }], {
        tools: [tool],
      });
      expect(tool.seen).toEqual([]);
      expect(host.ops()).toBe('model policy step model result');
      expect(host.of('policy')[0]?.note).toMatchObject({
        policy: 'tool_call_error',
        action: 'retry',
        attempt: 1,
      });
      expect(lastToolText(host)).toContain('did not run');
      expect(lastToolText(host)).toContain('"properties":{"x"');
      expect(outcome.status).toBe('completed');
    },
  );

  it('other calls of the same step still run; an unknown tool names the known ones', async () => {
    const tool = fakeTool('write');
    const { host } = await go(
      [
        {
          calls: [
            ['nope', {}],
            ['write', { x: 1 }],
            ['write', '{'],
          ],
        },
        { text: 'ok' },
      ],
      { tools: [tool] },
    );
    expect(tool.seen).toEqual([{ x: 1 }]);
    expect(host.of('started')[0]?.start.calls.map((c) => c.id)).toEqual(['c2']);
    const texts = host.stored().filter((m) => m.role === 'tool');
    expect(texts[0]?.content).toBe('unknown tool "nope"; you may use: write');
    expect(texts.map((m) => m.is_error ?? false)).toEqual([true, false, true]);
  });

  it('an answer cut in its arguments is told so', async () => {
    const { host } = await go([{ calls: [['write', '{"x":']], finish: 'length' }, { text: 'ok' }], {
      tools: [fakeTool('write')],
    });
    expect(lastToolText(host)).toContain('cut at its length limit');
  });

  it('the same mistake after one rewrite ends the run', async () => {
    const { host, outcome } = await go(() => ({ calls: [['write', '{']] }), {
      tools: [fakeTool('write')],
    });
    expect(outcome).toMatchObject({ status: 'failed', end_reason: 'no_progress' });
    expect(host.of('model')).toHaveLength(2);
    expect(host.of('policy').map(({ note }) => [note.policy, note.action])).toEqual([
      ['tool_call_error', 'retry'],
      ['tool_call_error', 'stop'],
    ]);
  });

  it('different mistakes end it at the fourth step in a row', async () => {
    const { host, outcome } = await go((n) => ({ calls: [[`tool_${n}`, {}]] }), {
      tools: [fakeTool('write')],
    });
    expect(outcome).toMatchObject({ status: 'failed', end_reason: 'no_progress' });
    expect(host.of('model')).toHaveLength(4);
  });

  it('a risky command ends the run at once, for safety, and the reason is told', async () => {
    const tool = {
      ...fakeTool('write'),
      run: async () => ({
        ok: false,
        content: 'no',
        summary: 'no',
        safe_stop: 'it deletes everything',
      }),
    };
    const { host, outcome } = await go(
      [{ calls: [['write', {}]] }, { text: 'not asked any more' }],
      {
        tools: [tool],
      },
    );
    expect(outcome).toMatchObject({
      status: 'failed',
      end_reason: 'safe_stop',
      error: { code: 'safe_stop', message: 'it deletes everything' },
    });
    expect(host.of('model')).toHaveLength(1);
    expect(host.of('policy')[0]?.note).toMatchObject({ policy: 'safe_stop', action: 'stop' });
  });

  it('an agent that reports that it is blocked ends as blocked, with its reason', async () => {
    const tool = {
      ...fakeTool('write'),
      run: async () => ({
        ok: true,
        content: 'noted',
        summary: 'blocked',
        blocked: 'no access to the repository',
      }),
    };
    const { outcome } = await go([{ calls: [['write', {}]] }], { tools: [tool] });
    expect(outcome).toMatchObject({
      status: 'failed',
      end_reason: 'blocked',
      error: { code: 'blocked', message: 'no access to the repository' },
    });
  });

  it('null for an optional argument counts as left out', async () => {
    const tool = fakeTool('write');
    await go([{ calls: [['write', { x: null }]] }, { text: 'ok' }], { tools: [tool] });
    expect(tool.seen).toEqual([{}]);
  });
});

describe('results', () => {
  it('a huge result is cut on code points, says how much, and is kept whole', async () => {
    const big = `START${'가👋'.repeat(50_000)}END`;
    const { host, run } = await go([{ calls: [['read', {}]] }, { text: 'ok' }], {
      tools: [fakeTool('read', () => big)],
    });
    const text = lastToolText(host);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(30_000);
    expect(text.startsWith('START가')).toBe(true);
    expect(text.endsWith('END')).toBe(true);
    expect(text).not.toContain('\uFFFD');
    const [, left, total, file] =
      /\[\.\.\. (\d+) of (\d+) bytes left out here; the whole is in (\S+);/.exec(text) ?? [];
    expect(Number(total)).toBe(Buffer.byteLength(big));
    expect(Number(left)).toBeGreaterThan(300_000);
    expect(readFileSync(join(run.workdir, file ?? ''), 'utf8')).toBe(big);
  });

  it('a tool that throws is a result, and the run goes on', async () => {
    const tool = fakeTool('write', () => {
      throw new AppError('not_found', 'no such thing');
    });
    const { host, outcome } = await go([{ calls: [['write', {}]] }, { text: 'ok' }], {
      tools: [tool],
    });
    expect(lastToolText(host)).toBe('write failed: no such thing');
    expect(host.of('step')[0]?.receipts).toMatchObject([{ ok: false }]);
    expect(outcome.status).toBe('completed');
  });
});

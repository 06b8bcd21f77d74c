// What a provider sends, seen from the end of a run: the agent loop on the three wire forms, and what its user reads.
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../../src/agent/loop.ts';
import type { RunHost } from '../../../src/domain/run.ts';
import { agentRun, fakeTool, scriptedHost } from '../../agent/scripted-host.ts';
import { caller, testGateway } from '../support/gateway.ts';
import { type Script, upstreamBeside } from '../support/upstream.ts';
import { inPieces } from './bytes.ts';
import { FORMS, type Form, type WireCall } from './forms.ts';

async function run(form: Form, ...scripts: Script[]) {
  const up = await upstreamBeside(form.beside, ...scripts);
  const { gateway } = testGateway(up.url);
  const scripted = scriptedHost([]);
  const model: RunHost['model'] = (request, signal) => gateway.call(request, caller, signal);
  const tool = fakeTool('read');
  const kit = agentRun(scripted, {
    model: form.model,
    tools: [tool],
    host: { ...scripted.host, model },
  });
  const outcome = await runAgent(kit.run);
  const results = scripted.stored().filter((m) => m.role === 'tool');
  return { outcome, ran: tool.seen, results, asked: up.seen };
}
const call = (...pieces: string[]): WireCall => ({ id: 'call_a', name: 'read', pieces });

describe.each(FORMS)('$name', (form) => {
  const text = (said: string): Script => inPieces(form.body([said], []));
  const calls = (...all: WireCall[]): Script => inPieces(form.body([], all));
  const nothing = inPieces(form.body([], []));

  it('calls in one answer all run, and their results go back in order', async () => {
    const two = [call('{"x":', '1}'), { ...call('{"x":2}'), id: 'call_b' }];
    const { outcome, ran, results, asked } = await run(form, calls(...two), text('both'));
    expect(outcome).toMatchObject({ status: 'completed', text: 'both' });
    expect(ran).toEqual([{ x: 1 }, { x: 2 }]);
    expect(results.map((m) => m.tool_call_id)).toEqual(['call_a', 'call_b']);
    expect(JSON.stringify(asked[1]?.body)).toMatch(/done[\s\S]*done/);
  });

  it('arguments that are no JSON: the model is told, writes them again, and only that call runs', async () => {
    const { outcome, ran, results } = await run(
      form,
      calls(call('{"x', '":')),
      calls(call('{"x":1}')),
      text('done now'),
    );
    expect(outcome).toMatchObject({ status: 'completed', text: 'done now' });
    expect(ran).toEqual([{ x: 1 }]);
    expect(results[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('not valid JSON'),
    });
  });

  it('the same broken call again: the run ends and says so', async () => {
    const { outcome, ran } = await run(form, calls(call('{"x', '":')));
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/2 tool calls in a row that could not run: .*read/) },
    });
  });

  it('an empty answer: one reminder, then its answer', async () => {
    const { outcome, asked } = await run(form, nothing, text('here'));
    expect(outcome).toMatchObject({ status: 'completed', text: 'here' });
    expect(JSON.stringify(asked[1]?.body)).toContain('Your last answer was empty');
  });

  it('nothing but empty answers: the run failed, with the name of the model', async () => {
    const { outcome, asked } = await run(form, nothing);
    expect(asked).toHaveLength(2);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        code: 'empty_answer',
        message: `${form.model} gave no answer, also after a reminder`,
      },
    });
  });
});

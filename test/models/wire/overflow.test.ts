// "The conversation is too long", as each provider says it, inside a run: older turns are summarised through the same
// gateway, and the step is asked once more.
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../../src/agent/loop.ts';
import { isSummary } from '../../../src/domain/compaction.ts';
import type { Message } from '../../../src/domain/message.ts';
import { agentRun, limits, scriptedHost } from '../../agent/scripted-host.ts';
import { caller, testGateway } from '../support/gateway.ts';
import { type Script, upstreamBeside } from '../support/upstream.ts';
import { inPieces } from './bytes.ts';
import { FORMS, type Form } from './forms.ts';

const thread: Message[] = [
  { role: 'user', content: 'Count to three in files.' },
  ...[1, 2, 3].flatMap((n): Message[] => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: `c${n}`, name: 'write', arguments: `{"path":"${n}.txt"}` }],
    },
    { role: 'tool', tool_call_id: `c${n}`, tool_name: 'write', content: 'x'.repeat(4_000) },
  ]),
  { role: 'user', content: 'Now say that you are done.' },
];
const says = (form: Form, text: string): Script => inPieces(form.body([text], []));

async function runOn(form: Form, ...scripts: Script[]) {
  const up = await upstreamBeside(form.beside, ...scripts);
  const { gateway, published } = testGateway(up.url);
  const host = scriptedHost([]);
  host.host.model = (request, signal) => gateway.call(request, caller, signal);
  const compact = { at_tokens: 100_000, by_model: true };
  const outcome = await runAgent(
    agentRun(host, { model: form.model, messages: thread, limits: { ...limits, compact } }).run,
  );
  return { up, outcome, published, summaries: host.stored().filter(isSummary) };
}

describe.each(FORMS)('$name', (form) => {
  it('the run is summarised and goes on', async () => {
    const { up, outcome, published, summaries } = await runOn(
      form,
      form.overflow,
      says(form, 'THE SUMMARY'),
      says(form, 'I am done'),
    );
    expect(outcome).toMatchObject({ status: 'completed', text: 'I am done' });
    const [long, summary, short] = up.seen.map(({ body }) => JSON.stringify(body));
    expect(summary).toContain('You summarise the older part');
    expect(short).toContain('THE SUMMARY');
    expect(short).toContain('Count to three in files.');
    expect(short?.length).toBeLessThan((long?.length ?? 0) / 2);
    // The summary is for the agent: who watches the run reads its answer alone.
    expect(published.join('')).toBe('I am done');
    expect(summaries[0]?.summary).toMatchObject({ by: 'model', why: 'overflow', count: 1 });
  });

  it('too long again: the run fails, and says why', async () => {
    const { up, outcome } = await runOn(
      form,
      form.overflow,
      says(form, 'THE SUMMARY'),
      form.overflow,
    );
    expect(up.seen).toHaveLength(3);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } });
    expect(outcome.error?.message).toMatch(
      /^the conversation is too long for \S+: .*; its older turns were summarised, and it is still too long$/s,
    );
  });

  it('a summary that is too long as well is made by code', async () => {
    const { outcome, summaries } = await runOn(
      form,
      form.overflow,
      form.overflow,
      says(form, 'I am done'),
    );
    expect(outcome).toMatchObject({ status: 'completed', text: 'I am done' });
    expect(summaries[0]?.summary.by).toBe('digest');
    expect(summaries[0]?.content).toContain('Files written or changed: 1.txt, 2.txt');
  });
});

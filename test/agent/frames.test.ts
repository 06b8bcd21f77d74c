// Text of others on its way into a prompt: whatever it says, it stays data. Every path is walked with text that tries
// to close its frame.
import { describe, expect, it } from 'vitest';
import { mainChain } from '../../src/agent/chains.ts';
import { planOf } from '../../src/agent/compaction/plan.ts';
import { saidOf, summaryMessage } from '../../src/agent/compaction/summary-message.ts';
import { summaryMessages } from '../../src/agent/compaction/summary-request.ts';
import { runAgent } from '../../src/agent/loop.ts';
import { viewOf } from '../../src/domain/compaction.ts';
import { clipFramed, frameData } from '../../src/domain/data-frame.ts';
import type { MemoryRecord } from '../../src/domain/memory.ts';
import type { Message, Summary } from '../../src/domain/message.ts';
import type { RunHost, TaskAnswer, TaskBrief, TaskCall } from '../../src/domain/run.ts';
import { delegateTools } from '../../src/tools/delegate.ts';
import { EVIL, expectFramed, ORDER } from '../support/frames.ts';
import { fetchKit, localSite, page } from '../tools/local-site.ts';
import { hostOfTasks, noHost, toolKit } from '../tools/tool-context.ts';
import { agentRun, fakeTool, limits, scriptedHost } from './scripted-host.ts';

const TASK = '0190a1b2-c3d4-7e5f-8a9b-000000000001';
const brief = (more: Partial<TaskBrief>): TaskBrief => ({
  ...{ task_id: TASK, subagent_type: 'coder', status: 'completed', waiting: null },
  ...{ description: 'part', result: null, unverified: [], schema_valid: null, error: null },
  ...{ partial_output: '', created_at: '', updated_at: '', ...more },
});

async function told(task: TaskBrief, memory_block = '') {
  const host = scriptedHost(
    [
      { calls: [['start_async_task', { subagent_type: 'coder', description: 'part' }]] },
      { text: 'first' },
      { text: 'second' },
    ],
    (call: TaskCall): TaskAnswer =>
      call.op === 'start'
        ? { ok: true, op: 'start', task: brief({ status: 'created' }) }
        : { ok: true, op: 'join', ended: [task], open: [] },
  );
  const chain = mainChain({
    ...{ memory_block, history: [], may_start: ['coder'], known: ['coder'], background: false },
    reply: { asked: null, driftOf: () => null },
  });
  await runAgent(agentRun(host, { tools: delegateTools(), chain }).run);
  return host.of('model').at(-1)?.request.messages ?? [];
}

describe('the outcome of a child', () => {
  it.each([
    ['its result', { result: EVIL }],
    ['its error', { status: 'failed', error: EVIL }],
  ])('%s, as it is announced', async (_, more) => {
    expectFramed((await told(brief(more))).at(-1)?.content ?? '');
  });

  it.each([
    ['its result', { result: EVIL }],
    ['its error', { status: 'failed', error: EVIL }],
    ['what it has said so far', { status: 'running', partial_output: EVIL }],
  ])('%s, when it is checked', async (_, more) => {
    const host = hostOfTasks(() => ({ ok: true, op: 'check', task: brief(more) }));
    const { content } = await toolKit({ host }).call('check_async_task', { task_id: TASK });
    expectFramed(content);
  });

  it('its description in the list', async () => {
    const tasks = [brief({ description: EVIL.replaceAll('\n', ' ') })];
    const host = hostOfTasks(() => ({ ok: true, op: 'list', tasks }));
    const { content } = await toolKit({ host }).call('list_async_tasks', {});
    expectFramed(content);
  });
});

describe('what is remembered', () => {
  it('in the system prompt of every call', async () => {
    const messages = await told(brief({ result: 'ok' }), `- [user] ${EVIL}`);
    expectFramed(messages[0]?.content ?? '');
  });

  it('as memories and notes that a tool finds', async () => {
    const at = '2026-01-02T00:00:00.000Z';
    const record: MemoryRecord = {
      ...{ record_id: 'mem_0123456789ab', layer: 'user/profile', content: EVIL, tags: [] },
      ...{ scope_key: 'global', source: 'coder', status: 'active', correction_of: null },
      ...{ created_at: at, updated_at: at },
    };
    const note = {
      ...({ note_id: 1, kind: 'note', author: 'sa_1', role: 'coder', task_id: null } as const),
      ...{ branch: 'main', note: EVIL, at, query_id: 'q' },
    };
    const host: RunHost = {
      ...noHost,
      memory: async () => ({ ok: true, op: 'search', records: [record] }),
      brain: async () =>
        ({ ok: true, op: 'query', notes: [note], total: 1, branches: ['main'] }) as never,
    };
    const { call } = toolKit({ host });
    expectFramed((await call('memory_search', { query: 'x' })).content);
    expectFramed((await call('brain_query', {})).content);
  });
});

it('a page that was fetched, whatever its type', async () => {
  const site = await localSite({
    '/a.txt': page('text/plain', EVIL),
    '/b.html': page('text/html', `<p>${EVIL.replaceAll('<', '&lt;')}</p>`),
  });
  const { fetch } = fetchKit(['127.0.0.1']);
  expectFramed((await fetch(`${site.url}/a.txt`)).content);
  expectFramed((await fetch(`${site.url}/b.html`)).content);
});

describe('results that are cut', () => {
  const many = Array.from({ length: 40 }, (_, n) => frameData(`note ${n}`, `${EVIL} `.repeat(20)));

  it('never leave the end of a frame without its beginning', async () => {
    const text = many.join('\n');
    const cut = clipFramed(text, 4_000, 'the rest is in a file');
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_000);
    expectFramed(cut);
    expect(clipFramed(text, 4_000, 'the rest is in a file')).toBe(cut);
    const tool = fakeTool('brain_query', () => text);
    const host = scriptedHost([{ calls: [['brain_query', {}]] }, { text: 'ok' }]);
    const run = agentRun(host, { tools: [tool], limits: { ...limits, result_limit: 5_000 } });
    await runAgent(run.run);
    expectFramed(host.stored().find((m) => m.role === 'tool')?.content ?? '');
  });
});

describe('older turns that are summarised', () => {
  const turn: Message[] = [
    { role: 'user', content: 'do it' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', name: 'read', arguments: JSON.stringify({ path: EVIL }) }],
    },
    { role: 'tool', tool_call_id: 'c1', tool_name: 'read', content: EVIL },
    { role: 'user', content: EVIL },
    { role: 'assistant', content: 'next' },
    { role: 'user', content: 'go on' },
    { role: 'assistant', content: 'more' },
  ];

  it('in the request for the summary', () => {
    const { dropped } = planOf(turn, 1) ?? { dropped: [] };
    const ask = { request: EVIL, former: EVIL, dropped, words: 100 };
    const [system, user] = summaryMessages(ask, 50_000);
    expect(system?.content).not.toContain(ORDER);
    expectFramed(user?.content ?? '');
  });

  it('in the summary, with tasks and with what was asked', () => {
    const summary: Summary = {
      ...{ text: EVIL, said: saidOf([EVIL], turn), open_tasks: [TASK], tail: 1, clip: null },
      ...{ count: 1, before_tokens: 2, after_tokens: 1, by: 'model', why: 'threshold' },
    };
    const message = summaryMessage(summary, [brief({ status: 'running', description: EVIL })]);
    expectFramed(message.content);
    expect(viewOf([...turn, message]).map((m) => m.role)).toEqual([
      ...['user', 'user', 'user', 'assistant'],
    ]);
  });
});

// Self-branching in a turn of the main agent: the real loop, tasks and store; models and roles are functions.
// The names are those that these behaviours have had from the beginning.
import { afterEach, expect, it } from 'vitest';
import { workAgent } from '../../src/agent/loop.ts';
import { shouldBranch } from '../../src/branching/index.ts';
import type { Message, ModelChunk, ModelRequest } from '../../src/domain/message.ts';
import { noUsage } from '../../src/domain/message.ts';
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import type { Tool } from '../../src/domain/tool.ts';
import { createSelfBranch } from '../../src/queries/self-branch.ts';
import { COMPLEX, facts, talk } from '../branching/talk.ts';
import { createQueriesWorld, type Main } from '../support/queries-world.ts';
import type { Work } from '../support/tasks-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

const REQUEST = 'Fix the login bug and update the README. Use TypeScript only.';
const SETTINGS = {
  fan_out: 3,
  threshold: 0.3,
  min_tool_calls: 2,
  combine: 'auto',
  max_nodes: 40,
} as const;

/** One answer of the main model: the tools that it calls, or its text. */
type Said = string[] | string;

let world: ReturnType<typeof createQueriesWorld>;
afterEach(() => world?.close());

let runs = 0;
/** A result of its own each time: repetitions would be no progress. */
const tool = (name: string): Tool => ({
  ...{ name, description: name, parameters: { type: 'object', properties: {} } },
  run: async () => ({ ok: true, content: `${name} ok ${runs++}`, summary: name }),
});

function open(
  script: readonly Said[],
  work: Work = async ({ envelope }) => `did ${envelope.run_id}`,
) {
  const seen: { requests: ModelRequest[]; messages: Message[] } = { requests: [], messages: [] };
  async function* model(request: ModelRequest): AsyncGenerator<ModelChunk> {
    const said = script[seen.requests.push(request) - 1] ?? 'nothing more';
    if (typeof said === 'string') yield { type: 'text', text: said };
    else
      for (const [i, name] of said.entries())
        yield {
          type: 'tool_call',
          call: { id: `c${seen.requests.length}-${i}`, name, arguments: '{}' },
        };
    const finish = typeof said === 'string' ? 'stop' : 'tool_calls';
    yield {
      type: 'end',
      finish,
      model: 'test',
      usage: { ...noUsage(), input_tokens: 10, model_calls: 1 },
    };
  }
  const main: Main = async ({ query, loop, host, signal, steering }) => {
    const { store, tasks } = world;
    const selfBranch = createSelfBranch({
      ...{ store, patientStore: tasks.patientStore, tasks, settings: SETTINGS },
      ...{ may_start: ['coder'], max_depth: 2, clock: systemClock, log: silentLog },
    });
    const { messages } = await store.reads.checkpoints.thread(query.query_id);
    const { outcome } = await workAgent({
      ...{
        run_id: loop.run_id,
        role: 'main',
        model: 'test',
        prompt: 'main',
        language: null,
        begun: { iterations: 0, answers: 0 },
        messages,
        signal,
        steering,
      },
      workdir: tempFolder(),
      tools: ['read', 'grep', 'list'].map(tool),
      chain: [
        {
          name: 'watch',
          afterTools: async (ctx) => {
            seen.messages = [...ctx.messages];
            return null;
          },
        },
        selfBranch(query, loop),
      ],
      host: { ...host, model },
      limits: {
        ...{ max_iterations: 20, result_limit: 10_000, tool_timeout_s: 5 },
        ...{ tool_timeout_max_s: 5, timeout_s: 0, fetch_allow: [], compact: null },
      },
      ...{ first_step: 0, begun: { iterations: 0, answers: 0 }, language: null, markers: {} },
      ...{ clock: systemClock, log: silentLog },
    });
    return outcome;
  };
  world = createQueriesWorld(tempFolder(), main, work);
  return seen;
}
async function ask(input = REQUEST) {
  const { query_id } = await world.queries.create({ input });
  return await world.ended(query_id);
}
const decisions = async (query_id: string) =>
  (await world.store.reads.events.after(0, { query_id, kinds: ['branch'] }, 100)).filter(
    ({ state }) => state !== 'settled',
  );

it.each([
  ['one after the other', [['read'], ['grep'], 'done']],
  ['in one answer', [['read', 'grep'], 'done']],
] as const)(
  'test_execute_tool_calls_sets_tool_name_in_result_messages: %s',
  async (_how, script) => {
    const seen = open(script.map((said) => (typeof said === 'string' ? said : [...said])));
    await ask('Look at the files');
    const results = seen.messages.filter((m) => m.role === 'tool');
    expect(results.map(({ tool_name, content }) => [tool_name, content])).toEqual([
      ['read', expect.stringContaining('read ok')],
      ['grep', expect.stringContaining('grep ok')],
    ]);
    expect(results.every(({ tool_call_id }) => tool_call_id !== '')).toBe(true);
  },
);

it('test_should_self_branch_false_on_no_conjunction', async () => {
  open([['read', 'grep', 'list'], 'done alone']);
  const query = await ask('Debug the crash of the worker in production');
  expect(query).toMatchObject({ branched: false, answer: 'done alone' });
  expect((await decisions(query.query_id)).map(({ data }) => data.reason)).toEqual(['gate']);
});

it('test_should_self_branch_false_on_simple_message', () => {
  expect(shouldBranch(facts({}, COMPLEX, 'Hello'))).toBe(false);
});

it('test_should_self_branch_true_with_conjunction_and_complex_messages', () => {
  expect(
    shouldBranch(facts({}, talk({ calls: ['read', 'grep', 'list'], turns: 1 }), REQUEST)),
  ).toBe(true);
});

it('test_should_self_branch_false_when_already_branching', () => {
  expect(shouldBranch(facts({ already_branched: true }))).toBe(false);
});

it('test_should_self_branch_false_on_child_agent', async () => {
  // A branch is told two things to do as well, and calls as many tools: only the main agent is asked.
  open([['read', 'grep', 'list'], 'never asked']);
  const query = await ask();
  expect(await decisions(query.query_id)).toHaveLength(1);
  expect(shouldBranch(facts({ branch_level: 1 }))).toBe(false);
});

it('test_execute_self_branch_calls_decider_execute_branching', async () => {
  open([['read', 'grep', 'list'], 'never asked']);
  const query = await ask();
  const told = world.started.map(({ messages }) => messages.at(-1)?.content ?? '');
  expect(told).toHaveLength(2);
  for (const text of told)
    for (const part of [
      'Fix the login bug',
      'update the README',
      'Use TypeScript only',
      query.workdir,
    ])
      expect(text).toContain(part);
});

it('test_decider_cached_on_agent_instance', async () => {
  // Three rounds of tools, and one decision: the first round is asked about once.
  open([['read'], ['grep'], ['list'], 'done alone']);
  const query = await ask();
  expect((await decisions(query.query_id)).map(({ data }) => [data.trigger, data.reason])).toEqual([
    ['first_round', 'score'],
  ]);
});

it('test_branch_response_returned_with_branched_flag', async () => {
  const seen = open(
    [['read', 'grep', 'list'], 'never asked'],
    async () => 'the result of a branch',
  );
  const query = await ask();
  expect(query).toMatchObject({ status: 'completed', branched: true });
  expect(query.answer?.split('the result of a branch')).toHaveLength(3);
  expect(seen.requests).toHaveLength(1);
});

it('an agent decides again when its steps run out or its work has become heavy', async () => {
  const rounds = Array.from({ length: 14 }, () => ['read']);
  open([...rounds, 'done alone']);
  const query = await ask('Debug the crash of the worker in production');
  // 14 of 20 steps are 70 %.
  expect((await decisions(query.query_id)).map(({ data }) => data.trigger)).toEqual([
    'first_round',
    'checkpoint',
  ]);
});

it('the first note of a branch can be read before the branch has ended', async () => {
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  open([['read', 'grep', 'list'], 'never asked'], async ({ envelope, host }) => {
    await host.brain({ op: 'record', call_id: 'n', note: `found by ${envelope.run_id}` });
    await held;
    return 'done';
  });
  const { query_id } = await world.queries.create({ input: REQUEST });
  await expect
    .poll(async () => (await world.store.reads.brain.ofQuery({ query_id, limit: 10 })).length, {
      timeout: 10_000,
    })
    .toBe(2);
  expect((await world.queries.get(query_id)).status).toBe('running');
  go();
  // What no result says is not lost.
  expect((await world.ended(query_id)).answer).toContain('found by');
});

// A request with independent parts becomes branches by the decision of the runtime. On the built product, all roles
// in its own process.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { type ChatAnswer, type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Query = {
  query_id: string;
  status: string;
  answer: string;
  branched: boolean;
  workdir: string;
};
type Result = { tasks: { task_id: string; subagent_type: string; status: string }[] };

const ROUND = '[[tool list {}]] [[tool glob {"pattern":"*"}]]';
const ASK = `Fix the login bug and update the README.\n\n${ROUND}`;
const FIRST = {
  calls: [
    { call: 'list', args: '{}' },
    { call: 'glob', args: '{"pattern":"*"}' },
  ],
  text: '',
};
const SINGLE = { TROUPE_TOPOLOGY: 'single' };

async function asked(troupe: Troupe, input: string, more: object = {}): Promise<Query> {
  const { query_id } = await troupe.call<Query>('POST', '/v1/queries', { input, ...more });
  return await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=60000`);
}
const branchEvents = (troupe: Troupe, { query_id }: Query): Promise<TroupeEvent[]> =>
  troupe.events(`&kinds=branch&query_id=${query_id}`);
const tasksOf = async (troupe: Troupe, { query_id }: Query) =>
  (await troupe.call<Result>('GET', `/v1/queries/${query_id}/result`)).tasks;

/** `main` answers the main agent; what a branch is told names its part. */
async function withProvider(
  main: (n: number) => ChatAnswer,
  branch: (told: string) => ChatAnswer,
  env: Record<string, string> = {},
) {
  let asks = 0;
  const provider = await startProvider(({ messages }: ChatRequest) => {
    const user = messages.find((m) => m.role === 'user')?.content ?? '';
    return user.startsWith('Your part') ? branch(user.split('\n')[1] ?? '') : main(asks++);
  });
  const troupe = await startTroupe({
    env: {
      ...SINGLE,
      TROUPE_MODEL: 'openai:fake',
      OPENAI_BASE_URL: provider.url,
      OPENAI_API_KEY: 'sk-test',
      ...env,
    },
  });
  return { troupe, provider };
}

describe('a request with two parts, asked of a model that never delegates', () => {
  it('branches after the first round of tools, and the answer has what every branch made', async () => {
    const { troupe, provider } = await withProvider(
      (n) => (n === 0 ? FIRST : { text: 'the model was asked again' }),
      (part) => ({ text: `done: ${part}` }),
    );
    const query = await asked(troupe, 'Fix the login bug and update the README.');
    expect(query).toMatchObject({ status: 'completed', branched: true });
    expect(query.answer).toMatch(
      /## Branch 1 \(debugger\): Fix the login bug\n\ndone: Fix the login bug\n\n## Branch 2 \(coder\): update the README\n\ndone: update the README/,
    );
    // One call of the main agent, one of each branch.
    expect(provider.requests).toHaveLength(3);
    const [decision, end, ...more] = await branchEvents(troupe, query);
    expect(more).toEqual([]);
    expect(decision).toMatchObject({
      state: 'branched',
      data: {
        branched: true,
        reason: 'branched',
        trigger: 'first_round',
        parts: ['Fix the login bug', 'update the README'],
        score: 0.34,
        scores: {
          ratio: { verdict: true, components: { length: 5 } },
          points: { verdict: false, components: { length: 6 } },
        },
      },
    });
    const tasks = await tasksOf(troupe, query);
    expect(end).toMatchObject({
      state: 'settled',
      data: {
        status: 'completed',
        branch_ids: tasks.map(({ task_id }) => task_id),
        prediction: { serial_tokens: expect.any(Number) },
        payoff: { saved_ms: expect.any(Number), real_tokens: 30 },
      },
    });
    // The command line explains it.
    const env = { ...process.env, TROUPE_URL: troupe.url };
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ['dist/bin/cli.js', ...args], { encoding: 'utf8', env });
    const explained = run('explain', query.query_id);
    for (const text of ['⚡ branched', 'tool_diversity', '0.30', 'update the README', 'predicted'])
      expect(explained).toContain(text);
    expect(run('branches')).toContain(query.query_id);
  });

  it('is degraded when a branch fails: the answer names it and has the other', async () => {
    const { troupe } = await withProvider(
      () => FIRST,
      (part) => (part.startsWith('update') ? { status: 400 } : { text: `done: ${part}` }),
    );
    const query = await asked(troupe, 'Fix the login bug and update the README.');
    expect(query).toMatchObject({ status: 'degraded', branched: true });
    expect(query.answer).toContain('Warning: 1 of 2 branches failed.');
    expect(query.answer).toMatch(/Branch 2 \(coder\): failed: .*400/);
    expect(query.answer).toContain('done: Fix the login bug');
  });

  it('fails with every reason when all branches fail', async () => {
    const { troupe } = await withProvider(
      () => FIRST,
      () => ({ status: 400 }),
    );
    const query = await asked(troupe, 'Fix the login bug and update the README.');
    expect(query).toMatchObject({ status: 'failed', branched: true });
    expect(query.answer).toContain('All branches failed');
  });

  it('goes on alone when no branch can be started, and the flag is cleared', async () => {
    const { troupe } = await withProvider(
      (n) => (n === 0 ? FIRST : { text: 'done alone' }),
      () => ({ text: 'never asked' }),
      // The description of a branch holds more than the request.
      { TROUPE_CONFIG: '' },
    );
    const long = 'x'.repeat(32_000);
    const query = await asked(troupe, `Fix the login bug and update the README. ${long}`);
    expect(query).toMatchObject({ status: 'completed', branched: false, answer: 'done alone' });
    const events = await branchEvents(troupe, query);
    expect(events.map(({ state }) => state)).toEqual(['branched', 'given_up']);
  });
});

describe('what keeps a request from branching', () => {
  it('is stored with its reason, once a turn', async () => {
    const troupe = await startTroupe({ env: SINGLE });
    const reasons = async (input: string, more: object = {}) => {
      const query = await asked(troupe, input, more);
      expect(query).toMatchObject({ status: 'completed', branched: false });
      const events = await branchEvents(troupe, query);
      expect(events.every(({ state }) => state === 'considered')).toBe(true);
      return events.map(({ data }) => data.reason);
    };
    expect(await reasons(`Fix the login bug.\n\n${ROUND}`)).toEqual(['gate']);
    expect(await reasons(ASK, { branch: 'never' })).toEqual(['never']);
    expect(await reasons('Fix the login bug and update the README.\n\n[[tool list {}]]')).toEqual([
      'score',
    ]);
    const start = '[[tool start_async_task {"subagent_type":"coder","description":"x"}]]';
    expect(await reasons(`${ASK} ${start}`)).toEqual(['already_delegating']);
    // No tool was called: there was nothing to decide.
    expect(await reasons('Fix the login bug and update the README.')).toEqual([]);
    const wrong = await troupe.ask('POST', '/v1/queries', { input: ASK, branch: 'maybe' });
    expect(wrong.status).toBe(400);
  });

  it('is not asked where branch = always: the score is skipped', async () => {
    const troupe = await startTroupe({ env: { ...SINGLE, TROUPE_BRANCH: 'always' } });
    const light = 'Fix the login bug and update the README.\n\n[[tool list {}]]';
    expect(await asked(troupe, light)).toMatchObject({ status: 'completed', branched: true });
    expect(await asked(troupe, light, { branch: 'auto' })).toMatchObject({ branched: false });
  });
});

it('branches go on after the server is killed: the same ones, decided once', {
  timeout: 60_000,
}, async () => {
  const slow = ASK.replace('README.', 'README. [[delay=2000]]');
  const first = await startTroupe({ env: SINGLE });
  const { query_id } = await first.call<Query>('POST', '/v1/queries', { input: slow });
  const tasks = await until(
    async () => {
      const now = await tasksOf(first, { query_id } as Query);
      return now.length === 2 ? now : null;
    },
    30_000,
    'both branches exist',
  );
  await first.kill();
  const second = await startTroupe({ env: SINGLE, folder: first.folder });
  const query = await second.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=60000`);
  expect(query).toMatchObject({ status: 'completed', branched: true });
  const ids = (of: Result['tasks']) => of.map(({ task_id }) => task_id);
  expect(ids(await tasksOf(second, query))).toEqual(ids(tasks));
  const events = await branchEvents(second, query);
  expect(events.map(({ state }) => state)).toEqual(['branched', 'settled']);
});

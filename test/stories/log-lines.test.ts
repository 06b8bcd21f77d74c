// What a person reads in the log of the server. On the built product, with secrets that must not be in it.
import { expect, it } from 'vitest';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const MODEL_KEY = 'canary-model-key-5f1c';
const PROMPT = 'canary-prompt-words';
const LOGGED = ['query', 'subagent', 'server', 'security', 'policy'];

type Line = Record<string, unknown>;
const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

it('has one line for every spawn, refusal, move and policy action, with its ids and without secrets', async () => {
  const troupe = await startTroupe({
    env: { TROUPE_LOG_LEVEL: 'info', OPENAI_API_KEY: MODEL_KEY },
  });
  const good = await troupe.start('coder', `${PROMPT} sk-canary0123456789abcdef`);
  // A role that nobody knows, asked for by an agent: refused.
  const call = `[[tool start_async_task {"subagent_type":"nobody","description":"${PROMPT}"}]]`;
  const refused = await troupe.start('architect', `${call} done`);
  const bad = await troupe.start('coder', `${PROMPT} [[fail]]`);
  for (const { task_id } of [good, refused, bad]) await troupe.ended(task_id);
  // What somebody gives as a reason is told, even when a secret has slipped into it.
  const long = await troupe.start('coder', '[[delay=60000]] late');
  const reason = `wrong key ${MODEL_KEY}`;
  await troupe.call('POST', `/v1/tasks/${long.task_id}/cancel`, { reason });

  const events = (await troupe.events()).filter(({ kind }) => LOGGED.includes(kind));
  const kinds = new Set(events.map(({ kind, state }) => `${kind} ${state}`));
  for (const kind of ['server spawned', 'subagent running', 'subagent failed', 'query completed'])
    expect(kinds).toContain(kind);
  expect(kinds).toContain('security spawn_refused');
  expect([...kinds].join()).toContain('policy ');

  const told = await until(
    () => {
      const lines = linesOf(troupe.output()).filter(({ seq }) => seq !== undefined);
      return lines.length >= events.length && lines;
    },
    10_000,
    'every event has its line',
  );
  expect(told.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
  for (const [at, { kind, state, query_id, task_id, agent_id, role, data }] of events.entries()) {
    const ids = { query_id, task_id, agent_id, role, pid: data.pid ?? null };
    const known = Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== null));
    expect(told[at]).toMatchObject({ kind, state, ...known, msg: expect.any(String) });
  }
  expect(told.find(({ state }) => state === 'spawned')).toMatchObject({ pid: expect.any(Number) });
  expect(told.find(({ state }) => state === 'failed')).toMatchObject({
    ...{ level: 'warn', role: 'coder', task_id: bad.task_id, reason: expect.any(String) },
  });
  expect(told.find(({ state }) => state === 'cancelled')).toMatchObject({
    ...{ level: 'info', reason: 'wrong key [secret]' },
  });
  for (const secret of [MODEL_KEY, PROMPT, 'sk-canary'])
    expect(troupe.output()).not.toContain(secret);
});

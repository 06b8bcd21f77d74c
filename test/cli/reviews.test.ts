// The inbox at the command line: lists, decisions with stable exit codes, and the question that `run` puts inline.
import { expect, it } from 'vitest';
import {
  event,
  fakeServer,
  type Handler,
  json,
  problem,
  QUERY,
  queryRow,
  taskRow,
} from './fake-server.ts';
import { cli } from './in-process.ts';

const ID = '0198c0de-0000-7000-8000-0000000000aa';
const AT = '2026-01-01T12:00:01.000Z';
const row = (more: object = {}) => ({
  ...{ review_id: ID, kind: 'question', query_id: QUERY, task_id: null, agent_id: null },
  ...{ role: 'coder', path: ['main agent', 'coder agent #1'], context: 'the shop', blocking: true },
  ...{ request: { question: 'Which \x1b[31mdatabase?', options: ['SQLite', 'PostgreSQL'] } },
  ...{ decision: null, status: 'pending', created_at: AT, expires_at: AT, decided_at: null },
  ...{ decided_by: null, allowed: 'an answer', ...more },
});
const decided = { status: 'decided', decision: { answer: 'PostgreSQL', option: 2 } };
const DECIDE = `POST /v1/reviews/${ID}`;
const serve = (routes: Record<string, Handler> = {}) =>
  fakeServer({
    'GET /v1/reviews': (_, response) => json(response, 200, { data: [row()], next_cursor: null }),
    [`GET /v1/reviews/${ID}`]: (_, response) => json(response, 200, row()),
    [DECIDE]: (_, response) => json(response, 200, row(decided)),
    ...routes,
  });

it.each([
  [['reviews'], 'main agent › coder agent #1'],
  [['reviews', 'list', '--status', 'all'], 'Which database?'],
  [['reviews', 'show', ID], '2  PostgreSQL'],
  [['reviews', 'answer', ID, 'PostgreSQL'], 'decided: PostgreSQL'],
  [['reviews', 'answer', ID, '--option', '2'], 'decided: PostgreSQL'],
  [['reviews', 'approve', ID, '--session'], ID],
  [['reviews', 'reject', ID, '--reason', 'no'], ID],
])('%j', async (args, shown) => {
  const server = await serve();
  const { code, out, err } = await cli([...args, '--url', server.url]);
  expect(err).toBe('');
  expect(out).toContain(shown);
  expect(out).not.toContain('\x1b');
  expect(code).toBe(0);
  const asJson = await cli([...args, '--url', server.url, '--json']);
  expect(() => JSON.parse(asJson.out)).not.toThrow();
});

it('sends what was decided', async () => {
  const server = await serve();
  const url = ['--url', server.url];
  await cli(['reviews', 'answer', ID, 'my own', ...url]);
  await cli(['reviews', 'answer', ID, '--option', '2', ...url]);
  await cli(['reviews', 'approve', ID, ...url]);
  await cli(['reviews', 'approve', ID, '--session', ...url]);
  await cli(['reviews', 'reject', ID, '--reason', 'too risky', ...url]);
  expect(server.asked.map((a) => JSON.parse(a.body))).toEqual([
    { answer: 'my own' },
    { option: 2 },
    { decision: 'approve' },
    { decision: 'session' },
    { decision: 'reject', reason: 'too risky' },
  ]);
  expect(server.asked.every((a) => a.headers['idempotency-key'])).toBe(true);
});

it('starts a task whose agents may ask', async () => {
  const server = await serve({
    'POST /v1/tasks': (_, response) => json(response, 202, taskRow()),
  });
  await cli(['tasks', 'start', 'coder', 'x', '--review', 'wait', '--url', server.url]);
  expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
    ...{ subagent_type: 'coder', description: 'x', review: 'wait' },
  });
});

it('exits with 2 without one answer, 5 for an unknown one, 1 when it is decided already', async () => {
  const already: Handler = (_, response) => problem(response, 409, 'conflict', 'already decided');
  const server = await serve({ [DECIDE]: already });
  const url = ['--url', server.url];
  expect((await cli(['reviews', 'answer', ID, ...url])).code).toBe(2);
  expect((await cli(['reviews', 'answer', ID, 'a', '--option', '1', ...url])).code).toBe(2);
  expect((await cli(['reviews', 'show', 'nothing', ...url])).code).toBe(5);
  const late = await cli(['reviews', 'answer', ID, 'a', ...url, '--json']);
  expect(late.code).toBe(1);
  expect(JSON.parse(late.err).error).toMatchObject({ code: 'conflict', exit_code: 1 });
});

const asks = event(1, 'review', 'pending', { data: { review_id: ID, blocking: true } });
const ended: Record<string, Handler> = {
  [`GET /v1/queries/${QUERY}`]: (_, response) =>
    json(response, 200, queryRow({ status: 'completed', answer: 'done' })),
};

it('run in a terminal asks for the answer inline, with the path of the agent that asks', async () => {
  const answers: string[] = [];
  const server = await serve({
    ...ended,
    [DECIDE]: (_, response, body) => {
      answers.push(body);
      if (body.includes('"option":9') || body.includes('"9"'))
        return problem(response, 422, 'decision_invalid', 'option 9 is not one of them');
      json(response, 200, row(decided));
      server.emit(event(2, 'query', 'completed'));
    },
  });
  server.store(asks);
  const { code, out, err } = await cli(['run', 'build it', '--url', server.url], {
    async person({ types, reads }) {
      await reads('answer (a number or your own words; empty = later)');
      types('9\n');
      await reads('option 9 is not one of them');
      types('2\n');
    },
  });
  expect(code).toBe(0);
  expect(err).toMatch(/\? main agent › coder agent #1\S* asks/);
  expect(err).toContain('Which database?');
  expect(err).toMatch(/1 {2}SQLite[\s\S]*2 {2}PostgreSQL/);
  expect(answers.map((body) => JSON.parse(body))).toEqual([{ answer: '9' }, { option: 2 }]);
  expect(out).toContain('done');
  const made = server.asked.find((a) => a.method === 'POST' && a.path === '/v1/queries');
  expect(JSON.parse(made?.body ?? '')).toEqual({ input: 'build it', review: 'wait' });
});

it('run in a terminal lets the prompt go when somebody else has decided', async () => {
  let looks = 0;
  const server = await serve({
    ...ended,
    [`GET /v1/reviews/${ID}`]: (_, response) => {
      looks += 1;
      json(response, 200, looks === 1 ? row() : row(decided));
    },
  });
  server.store(asks, event(2, 'query', 'completed'));
  const { code, err } = await cli(['run', 'build it', '--url', server.url], {
    person: async ({ reads }) => void (await reads('it is decided now')),
  });
  expect(code).toBe(0);
  expect(err).toContain('? main agent');
});

it('run without a terminal says how to answer, and goes on', async () => {
  const server = await serve(ended);
  server.store(asks, event(2, 'query', 'completed'));
  const args = ['run', 'build it', '--review', 'wait', '--url', server.url];
  const { code, err } = await cli(args);
  expect(code).toBe(0);
  expect(err).toContain(`answer with: troupe reviews answer ${ID} "your answer"`);
});

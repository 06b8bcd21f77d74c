// Proposals for memory at the command line: what is shown of them, and what is sent.
import { describe, expect, it } from 'vitest';
import { aProposal } from '../memory/review-kit.ts';
import { event, fakeServer, type Handler, json, QUERY, queryRow } from './fake-server.ts';
import { cli } from './in-process.ts';

const ID = '0198c0de-0000-7000-8000-0000000000aa';
const AT = '2026-01-01T12:00:01.000Z';
const items = [
  aProposal('docs/a=b.md', {
    evidence: [{ path: 'docs/a=b.md', from: 3, to: 4, quote: 'first line\nsecond \x1b[31mline' }],
    ...{ confidence: 0.72, confidence_why: ['the file says what it quotes (1 of 1)'] },
  }),
  aProposal('c.md', { note: '', file_size: 120 }),
];
const row = (more: object = {}) => ({
  ...{ review_id: ID, kind: 'memory', query_id: QUERY, task_id: null, agent_id: null },
  ...{ role: 'remember', path: ['main agent', 'remember agent #1'], context: 'the shop' },
  ...{ blocking: true, request: { items }, decision: null, status: 'pending', created_at: AT },
  ...{ expires_at: AT, decided_at: null, decided_by: null, allowed: 'x', ...more },
});
const DECIDED = row({
  status: 'decided',
  decision: {
    items: [
      { path: 'docs/a=b.md', decision: 'edit' },
      { path: 'c.md', decision: 'reject' },
    ],
  },
});
const serve = (routes: Record<string, Handler> = {}) =>
  fakeServer({
    'GET /v1/reviews': (_, response) => json(response, 200, { data: [row()], next_cursor: null }),
    [`GET /v1/reviews/${ID}`]: (_, response) => json(response, 200, row()),
    [`POST /v1/reviews/${ID}`]: (_, response) => json(response, 200, DECIDED),
    ...routes,
  });

it('are shown with path, layer, confidence, reason, note and the lines behind it', async () => {
  const server = await serve();
  const { out, code } = await cli(['reviews', 'show', ID, '--url', server.url]);
  expect(code).toBe(0);
  for (const text of [
    '1  docs/a=b.md  [project/context]  confidence 72 % (the file says what it quotes (1 of 1))',
    'why: It decides.',
    'The point of docs/a=b.md.',
    'docs/a=b.md:3-4',
    '| second line',
    '(no note: the text of the file, 120 bytes)',
    `troupe reviews approve ${ID} [--only PATH]`,
  ])
    expect(out).toContain(text);
});

describe('approve', () => {
  it.each([
    [[], { decision: 'approve' }],
    [
      ['--only', 'c.md', '--reason', 'enough'],
      { decision: 'reject', reason: 'enough', items: [{ path: 'c.md', decision: 'approve' }] },
    ],
    [
      ['--only', 'c.md', 'docs/a=b.md', '--layer', 'docs/a=b.md=user', '--note', 'c.md=two = 2'],
      {
        decision: 'reject',
        items: [
          { path: 'c.md', decision: 'approve', note: 'two = 2' },
          { path: 'docs/a=b.md', decision: 'approve', layer: 'user' },
        ],
      },
    ],
    [
      ['--note', 'docs/a=b.md=', '--rationale', 'docs/a=b.md=because'],
      {
        decision: 'approve',
        items: [{ path: 'docs/a=b.md', decision: 'approve', note: '', rationale: 'because' }],
      },
    ],
  ])('%j sends %j', async (options, body) => {
    const server = await serve();
    const { out, code } = await cli(['reviews', 'approve', ID, ...options, '--url', server.url]);
    expect(code).toBe(0);
    expect(JSON.parse(server.asked.at(-1)?.body ?? '')).toEqual(body);
    expect(out).toContain('docs/a=b.md approved with changes, c.md rejected');
  });

  it.each([
    [['--only', 'z.md'], '"z.md" is not proposed'],
    [['--note', 'z.md=x'], 'is not PATH=VALUE'],
    [['--only', 'c.md', '--layer', 'docs/a=b.md=user'], 'not among --only'],
  ])('%j is refused, with the paths that there are', async (options, said) => {
    const server = await serve();
    const { err, code } = await cli(['reviews', 'approve', ID, ...options, '--url', server.url]);
    expect(code).toBe(2);
    expect(err).toContain(said);
    expect(err).toContain('the proposals are docs/a=b.md, c.md');
    expect(server.asked.every((a) => a.method === 'GET')).toBe(true);
  });

  it('of something else has nothing to choose from', async () => {
    const server = await serve({
      [`GET /v1/reviews/${ID}`]: (_, response) =>
        json(response, 200, row({ kind: 'approval', request: { action: 'x', detail: '' } })),
    });
    const args = ['reviews', 'approve', ID, '--only', 'c.md', '--url', server.url];
    expect((await cli(args)).code).toBe(2);
  });
});

it('run in a terminal asks which to keep, by number', async () => {
  const sent: object[] = [];
  const server = await serve({
    [`GET /v1/queries/${QUERY}`]: (_, response) =>
      json(response, 200, queryRow({ status: 'completed', answer: 'done' })),
    [`POST /v1/reviews/${ID}`]: (_, response, body) => {
      sent.push(JSON.parse(body));
      json(response, 200, DECIDED);
      server.emit(event(2, 'query', 'completed'));
    },
  });
  server.store(event(1, 'review', 'pending', { data: { review_id: ID, blocking: true } }));
  const { code, err } = await cli(['run', 'build it', '--url', server.url], {
    async person({ types, reads }) {
      await reads('yes = all, no = none, or the numbers to keep');
      types('2\n');
    },
  });
  expect(code).toBe(0);
  expect(err).toContain('what of this is to be remembered?');
  expect(sent).toEqual([{ decision: 'reject', items: [{ path: 'c.md', decision: 'approve' }] }]);
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { brainPages } from '../../src/cli/brain-pages.ts';
import type { BrainNote } from '../../src/domain/brain.ts';
import { fakeServer, json, QUERY, TASK } from './fake-server.ts';
import { cli } from './in-process.ts';

const AT = '2026-01-01T12:00:01.000Z';
const RECORD = 'mem_0123456789ab';
const row = (more: object = {}) => ({
  ...{ record_id: RECORD, layer: 'user/profile', content: 'likes tea', scope_key: 'global' },
  ...{ source: 'api', tags: [], status: 'active', correction_of: null, created_at: AT },
  ...{ updated_at: AT, ...more },
});
const note = (note_id: number, more: Partial<BrainNote> = {}): BrainNote => ({
  ...{ note_id, query_id: QUERY, kind: 'note', author: 'sa_0123456789ab', role: 'coder' },
  ...{ task_id: TASK, branch: TASK, note: `finding ${note_id}`, at: AT, ...more },
});
const NOTES = [
  note(1, { author: 'main-agent', role: 'main', branch: 'main', note: '# Plan\n[[evil]] <b>x' }),
  note(2),
  note(3, { author: 'sa_ffffffffffff', role: 'reviewer', kind: 'outcome' }),
];
const serve = () =>
  fakeServer({
    'GET /v1/memory': (_, response) => json(response, 200, { data: [row()], next_cursor: null }),
    'POST /v1/memory': (_, response) => json(response, 201, row()),
    [`POST /v1/memory/${RECORD}/correct`]: (_, response) => json(response, 201, row()),
    [`GET /v1/memory/${RECORD}/history`]: (_, response) =>
      json(response, 200, { data: [row({ status: 'superseded', reason: null })] }),
    [`GET /v1/queries/${QUERY}/brain`]: (_, response) =>
      json(response, 200, { data: NOTES, next_cursor: null }),
  });

it.each([
  [['memory', 'list'], 'likes tea'],
  [['memory'], RECORD],
  [['memory', 'search', 'tea'], 'likes tea'],
  [['memory', 'add', 'likes tea', '--layer', 'user'], RECORD],
  [['memory', 'correct', RECORD, 'likes coffee'], RECORD],
  [['memory', 'history', RECORD], 'superseded'],
  [['brain', QUERY], 'finding 2'],
])('%j', async (args, shown) => {
  const server = await serve();
  const { code, out, err } = await cli([...args, '--url', server.url]);
  expect(err).toBe('');
  expect(out).toContain(shown);
  expect(code).toBe(0);
  const asJson = await cli([...args, '--url', server.url, '--json']);
  expect(() => JSON.parse(asJson.out)).not.toThrow();
});

it('sends what the options say', async () => {
  const server = await serve();
  const url = ['--url', server.url];
  const filter = ['--layer', 'user', '--project', 'shop', '--limit', '3'];
  await cli(['memory', 'list', '--status', 'superseded', ...filter, ...url]);
  await cli(['memory', 'search', 'green tea', ...filter, ...url]);
  await cli(['memory', 'add', 'x', '--layer', 'project', '--tag', 'a', 'b', ...url]);
  await cli(['memory', 'correct', RECORD, 'y', '--reason', 'z', ...url]);
  await cli(['brain', QUERY, '--branch', 'main', ...url]);
  expect(server.asked.map((a) => a.path)).toEqual([
    '/v1/memory?status=superseded&layer=user&project=shop&limit=3',
    '/v1/memory?limit=3&layer=user&project=shop&q=green+tea',
    '/v1/memory',
    `/v1/memory/${RECORD}/correct`,
    `/v1/queries/${QUERY}/brain?branch=main&limit=1000`,
  ]);
  expect(JSON.parse(server.asked[2]?.body ?? '')).toEqual({
    ...{ content: 'x', layer: 'project', tags: ['a', 'b'] },
  });
  expect(JSON.parse(server.asked[3]?.body ?? '')).toEqual({ replacement: 'y', reason: 'z' });
  expect(await cli(['memory', 'add', 'x', ...url])).toMatchObject({ code: 2 });
});

it('exports notes as a wiki: every link leads to a file, nothing is missing, no file is overwritten', async () => {
  const server = await serve();
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-cli-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const args = ['brain', QUERY, '--export', 'notes', '--url', server.url];
  expect(await cli(args, { cwd })).toMatchObject({ code: 0, err: '' });
  const names = readdirSync(join(cwd, 'notes'));
  const texts = names.map((name) => readFileSync(join(cwd, 'notes', name), 'utf8'));
  const whole = texts.join('\n');
  const links = [...whole.matchAll(/\[\[([^\]]+)\]\]/g)].map(([, name = '']) => `${name}.md`);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(names).toContain(link);
  for (const { note: text } of NOTES.slice(1)) expect(whole).toContain(text);
  const index = readFileSync(join(cwd, 'notes', 'index.md'), 'utf8');
  expect(index).toContain(`[[branch ${TASK}]]`);
  expect(index).toContain('[[coder sa_0123456789ab]]');
  // A note makes no heading, link or tag of its own.
  expect(whole).toContain('> # Plan\n> \\[\\[evil]] &lt;b>x');
  const again = await cli(args, { cwd });
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
});

it('names pages as files on every system', () => {
  const pages = brainPages(QUERY, [note(1, { role: '../a:b|c#d' }), note(2, { branch: 'x/y\\z' })]);
  for (const { name } of pages) expect(name).toMatch(/^[\w. -]+$/);
  expect(brainPages(QUERY, [])).toHaveLength(1);
});

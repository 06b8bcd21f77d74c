// The backend engineer: a small HTTP API is built, started in the background, called for real and tested.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const SERVER = `import { createServer } from 'node:http';

const MOST_BYTES = 10_000;
const MOST_NOTES = 1_000;

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) {
    text += piece;
    if (text.length > MOST_BYTES) throw Object.assign(new Error('too large'), { status: 413 });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw Object.assign(new Error('not valid JSON'), { status: 400 });
  }
}

/** Notes in memory; the same key twice is one note. */
export function createApp() {
  const notes = new Map();
  async function answer(request) {
    const key = /^\\/notes\\/([\\w-]{1,64})$/.exec(request.url ?? '')?.[1];
    if (request.url === '/notes' && request.method === 'GET') return [200, [...notes.values()]];
    if (key === undefined) return [404, { error: 'no such address' }];
    if (request.method === 'GET') return notes.has(key) ? [200, notes.get(key)] : [404, { error: 'no such note' }];
    if (request.method !== 'PUT') return [405, { error: 'GET or PUT' }];
    const { text } = await bodyOf(request);
    if (typeof text !== 'string' || text.trim() === '') return [400, { error: 'text is missing' }];
    if (!notes.has(key) && notes.size >= MOST_NOTES) return [409, { error: 'full' }];
    const status = notes.has(key) ? 200 : 201;
    notes.set(key, { key, text });
    return [status, notes.get(key)];
  }
  return createServer(async (request, response) => {
    const [status, body] = await answer(request).catch((e) => [e.status ?? 500, { error: e.message }]);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}
`;
const START = `import { createApp } from './app.mjs';

const server = createApp().listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log('listening on http://127.0.0.1:' + server.address().port);
});
`;
const TESTS = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApp } from '../src/app.mjs';

const server = createApp();
let url = '';
before(() => new Promise((done) => server.listen(0, '127.0.0.1', done)).then(() => {
  url = 'http://127.0.0.1:' + server.address().port;
}));
after(() => server.close());
const put = (key, body) => fetch(url + '/notes/' + key, { method: 'PUT', body });

test('a note is kept once', async () => {
  assert.equal((await put('a', '{"text":"one"}')).status, 201);
  assert.equal((await put('a', '{"text":"two"}')).status, 200);
  assert.deepEqual(await (await fetch(url + '/notes')).json(), [{ key: 'a', text: 'two' }]);
});
test('what is wrong is refused', async () => {
  assert.equal((await put('a', '{')).status, 400);
  assert.equal((await put('a', '{"text":" "}')).status, 400);
  assert.equal((await put('b', JSON.stringify({ text: 'x'.repeat(20_000) }))).status, 413);
  assert.equal((await fetch(url + '/notes/none')).status, 404);
});
`;

const story: Story = {
  input: 'Build a small HTTP API for notes with node:http: PUT and GET /notes/KEY, GET /notes.',
  files: { 'README.md': '# Notes\n\nNode 20, no dependencies.\n' },
  steps: {
    backend: [
      {
        sees: ['API for notes'],
        calls: [
          ['list', {}],
          ['read', { path: 'README.md' }],
        ],
      },
      {
        sees: ['README.md\t', 'no dependencies'],
        calls: [
          ['write', { path: 'src/app.mjs', content: SERVER }],
          ['write', { path: 'src/start.mjs', content: START }],
          ['write', { path: 'test/app.test.mjs', content: TESTS }],
          ['shell', { command: 'node src/start.mjs', background: true }],
          ['shell', { command: 'node --test 2>&1' }],
        ],
      },
      {
        sees: [
          'created src/app.mjs: ',
          'created src/start.mjs: ',
          'started in the background: pid ',
          /pass 2/,
          '[exit code 0, ',
        ],
        calls: [['read', (sent) => ({ path: /goes to (\S+\.log)/.exec(sent)?.[1] })]],
      },
      {
        sees: [/ {5}1\tlistening on http:\/\/127\.0\.0\.1:\d+/],
        calls: [
          [
            'shell',
            (sent) => {
              const url = /http:\S+/.exec(sent)?.[0];
              return {
                command: `curl -s -i -X PUT ${url}/notes/a -d '{"text":"hello"}' && curl -s ${url}/notes`,
              };
            },
          ],
        ],
      },
      {
        sees: ['HTTP/1.1 201 Created', '[{"key":"a","text":"hello"}]', '[exit code 0, '],
        says: 'Files: `src/app.mjs`, `src/start.mjs`, `test/app.test.mjs`. Start: `PORT=8080 node src/start.mjs`. Test: `node --test` (2 pass). Called for real: PUT /notes/a gave 201. Notes live in memory: a restart loses them.',
      },
    ],
  },
};

it('builds an API that answers real requests, and leaves no server behind', async () => {
  const { run, folder, tasks, troupe } = await tell(story);
  expect(await run('--test')).toEqual({ code: 0, out: expect.stringContaining('pass 2') });
  const server = spawn(process.execPath, ['src/start.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill());
  const [line] = await new Promise<string[]>((resolve) =>
    createInterface(server.stdout).once('line', (...lines) => resolve(lines as string[])),
  );
  const url = /http:\S+/.exec(line ?? '')?.[0];
  const put = await fetch(`${url}/notes/x`, { method: 'PUT', body: '{"text":"from a test"}' });
  expect(put.status).toBe(201);
  expect(await (await fetch(`${url}/notes/x`)).json()).toEqual({ key: 'x', text: 'from a test' });
  // What the agent had started is gone with its run, and named.
  expect(troupe.family().some((p) => p.command.includes('src/start.mjs'))).toBe(false);
  expect(tasks[0]?.result).toContain('Called for real');
}, 60_000);

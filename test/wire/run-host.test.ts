// A run's road to main over real sockets: the remote host on one end, the internal listener on the other.
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { type ModelChunk, noUsage } from '../../src/domain/message.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { RunHost, RunOutcome, TaskCall } from '../../src/domain/run.ts';
import { createInternalServer } from '../../src/wire/parent-end.ts';
import { createRemoteHost } from '../../src/wire/remote-host.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;
const request = { model: 'echo', messages: [], tools: [] };
const end: ModelChunk = { type: 'end', finish: 'stop', model: 'echo', usage: noUsage() };
const outcome: RunOutcome = {
  status: 'completed',
  end_reason: 'goal',
  text: 'done',
  error: null,
  usage: noUsage(),
  iterations: 1,
  model: 'echo',
  background_left: [],
};
const delta = { step: 0, messages: [{ role: 'user' as const, content: '안녕' }], delivered: [] };

function mainHost(changes: Partial<RunHost>): RunHost {
  return {
    async *model() {
      yield end;
    },
    step: async () => {},
    toolStarted: async () => {},
    tasks: async () => ({ ok: true, op: 'list', tasks: [] }),
    policy: async () => {},
    memory: async () => ({ ok: true, op: 'search', records: [] }),
    brain: async () => ({ ok: true, op: 'record', note_id: 1, others: 0 }),
    ask: async () => ({ ok: false, code: 'not_found', message: 'nobody here' }),
    progress() {},
    result: async () => {},
    ...changes,
  };
}

async function open(changes: Partial<RunHost> = {}, hostFor?: (token: string) => RunHost | null) {
  const host = mainHost(changes);
  const server = createInternalServer({
    hostFor: hostFor ?? ((token) => (token === 'run-token' ? host : null)),
    log: silentLog,
  });
  const main_url = await server.listen();
  onTestFinished(() => server.close());
  return { ...connect(main_url), server, main_url };
}
function connect(main_url: string, run_token = 'run-token') {
  const lifeline = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const fenced: string[] = [];
  onTestFinished(() => {
    lifeline.abort();
    agent.destroy();
  });
  const remote = createRemoteHost({
    main_url,
    run_token,
    agent,
    lifeline: lifeline.signal,
    pause: () => 5,
    onFenced: (why) => fenced.push(why),
    log: silentLog,
  });
  return { remote, fenced, lifeline };
}
async function readAll(chunks: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

test('every call arrives as it was sent', async () => {
  const seen: unknown[] = [];
  const { remote } = await open({
    step: async (...args) => void seen.push(['step', ...args]),
    toolStarted: async (start) => void seen.push(['tools', start]),
    progress: (progress) => void seen.push(['progress', progress]),
    result: async (...args) => void seen.push(['result', ...args]),
    tasks: async (call) => {
      seen.push(['tasks', call]);
      return { ok: false, code: 'not_found', message: 'no such task' };
    },
  });
  const receipt = {
    id: '1',
    name: 'read',
    ok: true,
    summary: 's',
    duration_ms: 1,
    exit_code: null,
  };
  const start = { step: delta, calls: [{ id: '1', name: 'read', arguments: '{}' }] };
  const call: TaskCall = { op: 'cancel', task_id: 't' };
  await remote.step(delta, [receipt]);
  await remote.toolStarted(start);
  expect(await remote.tasks(call, never)).toMatchObject({ ok: false, code: 'not_found' });
  await remote.result(outcome, delta);
  remote.progress({ activity: 'reading' });
  await until(() => seen.length === 5, 2_000, 'the progress');
  expect(seen).toEqual([
    ['step', delta, [receipt]],
    ['tools', start],
    ['tasks', call],
    ['result', outcome, delta],
    ['progress', { activity: 'reading' }],
  ]);
});

test('progress reaches main at most once a second, the last word last', async () => {
  const seen: { activity: string; at: number }[] = [];
  const { remote } = await open({
    progress: ({ activity }) => void seen.push({ activity, at: performance.now() }),
  });
  for (let n = 0; n <= 100; n += 1) remote.progress({ activity: `step ${n}` });
  await until(() => seen.length === 2, 5_000, 'the second progress');
  expect(seen.map((one) => one.activity)).toEqual(['step 0', 'step 100']);
});

test('model text of 50,000 Hangul syllables arrives whole, in order, and ends', async () => {
  const text = Array.from({ length: 50_000 }, (_, n) => String.fromCharCode(0xac00 + (n % 11_000)));
  const { remote } = await open({
    async *model() {
      for (let at = 0; at < text.length; at += 500)
        yield { type: 'text', text: text.slice(at, at + 500).join('') };
      yield end;
    },
  });
  const chunks = await readAll(remote.model(request, never));
  expect(chunks.at(-1)).toEqual(end);
  expect(chunks.map((c) => (c.type === 'text' ? c.text : '')).join('')).toBe(text.join(''));
});

test('a slow reader holds the model back; a reader that leaves cancels the call', async () => {
  let made = 0;
  let cancelled = false;
  const { remote } = await open({
    async *model(_, signal) {
      signal.addEventListener('abort', () => {
        cancelled = true;
      });
      for (; made < 5_000 && !signal.aborted; made += 1)
        yield { type: 'text', text: 'x'.repeat(64 * 1024) };
    },
  });
  for await (const chunk of remote.model(request, never)) {
    expect(chunk.type).toBe('text');
    // Nobody reads on: what fits into the buffers is made, and no more.
    let last = -1;
    await until(
      async () => {
        const still = made === last;
        last = made;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return still;
      },
      10_000,
      'the model stands still',
    );
    expect(made).toBeLessThan(1_000);
    break;
  }
  await until(() => cancelled, 5_000, 'the call is cancelled');
});

test('aborting the signal cancels the call in main and rejects as cancelled', async () => {
  let cancelled = false;
  const { remote } = await open({
    async *model(_, signal) {
      yield { type: 'text', text: 'a' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      cancelled = true;
    },
  });
  const abort = new AbortController();
  const reading = (async () => {
    for await (const chunk of remote.model(request, abort.signal))
      if (chunk.type === 'text') abort.abort();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  await until(() => cancelled, 5_000, 'main has heard of it');
});

test('what the gateway throws is data; a stream that breaks ends with an error', async () => {
  const { remote } = await open({
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    async *model() {
      throw new AppError('model_timeout', 'no token for 60 s');
    },
  });
  expect(await readAll(remote.model(request, never))).toEqual([
    { type: 'error', code: 'model_timeout', message: 'no token for 60 s' },
  ]);
  const broken = await open({
    async *model() {
      yield { type: 'text', text: 'half' };
      throw new Error('secret detail');
    },
  });
  expect((await readAll(broken.remote.model(request, never))).at(-1)).toEqual({
    type: 'error',
    code: 'model_error',
    message: 'internal error',
  });
});

test('a result is sent again until main has acknowledged it', async () => {
  let attempts = 0;
  const { remote } = await open({
    result: async () => {
      attempts += 1;
      if (attempts < 4) throw new AppError('storage_full', 'the disk is full');
    },
  });
  await remote.result(outcome, null);
  expect(attempts).toBe(4);
});

test('a broken connection is no end: main comes back on the same address', async () => {
  let broken = 0;
  const flaky = createServer((req, res) => {
    broken += 1;
    if (broken < 3) req.socket.destroy();
    else res.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    flaky.close();
    flaky.closeAllConnections();
  });
  const { remote } = connect(`http://127.0.0.1:${(flaky.address() as AddressInfo).port}`);
  await remote.step(delta, []);
  expect(broken).toBe(3);
});

test('a run that main does not know is fenced off: told once, nothing is repeated', async () => {
  let asked = 0;
  const { main_url } = await open({}, () => {
    asked += 1;
    return null;
  });
  const { remote, fenced } = connect(main_url, 'old-token');
  await expect(remote.step(delta, [])).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(remote.result(outcome, null)).rejects.toThrow();
  expect(fenced).toHaveLength(1);
  expect(asked).toBe(2);
});

test('the end of the lifeline ends every retry', async () => {
  const { remote, lifeline } = connect('http://127.0.0.1:9');
  const sending = remote.result(outcome, null);
  lifeline.abort();
  await expect(sending).rejects.toMatchObject({ code: 'cancelled' });
});

test('a long wait is several short ones, and ends early when there is something to say', async () => {
  const waits: number[] = [];
  const { remote } = await open({
    tasks: async (call) => {
      waits.push('wait_ms' in call ? call.wait_ms : -1);
      return { ok: true, op: 'join', ended: [], open: [] };
    },
  });
  await remote.tasks({ op: 'join', wait_ms: 600_000 }, never);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeLessThanOrEqual(30_000);
});

test('main refuses what is malformed, too large, or not a route', async () => {
  const { main_url } = await open();
  const post = (path: string, body: string | Buffer, method = 'POST') =>
    fetch(main_url + path, { method, body, headers: { authorization: 'Bearer run-token' } });
  for (const path of [
    'steps',
    'tools',
    'tasks',
    'memory',
    'brain',
    'ask',
    'progress',
    'result',
    'model',
  ])
    for (const body of ['{}', '[]', 'null', 'no json', '{"call":{"op":"rm"}}'])
      expect([path, (await post(`/internal/${path}`, body)).status]).toEqual([path, 400]);
  const bad_utf8 = Buffer.from('{"progress":{"activity":"\xff"}}', 'latin1');
  expect((await post('/internal/progress', bad_utf8)).status).toBe(400);
  expect((await post('/internal/steps', 'x'.repeat(9 * 1024 * 1024))).status).toBe(413);
  expect((await post('/internal/nothing', '{}')).status).toBe(404);
  expect((await post('/internal/steps', '{}', 'PUT')).status).toBe(404);
});

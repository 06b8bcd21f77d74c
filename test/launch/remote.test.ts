// Role servers that someone else runs: an Agent Protocol server in small, used over a real socket.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { RunHost, RunOutcome } from '../../src/domain/run.ts';
import { createRemoteLauncher } from '../../src/launch/remote.ts';
import { newMessages } from '../../src/launch/remote-run.ts';
import { envelopeOf } from '../support/envelope.ts';
import { claimed, failure, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { until } from '../support/until.ts';

type Run = { run_id: string; status: string; metadata: unknown; input: unknown };

async function openPeer() {
  const runs: Run[] = [];
  const calls: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let answer = 'from far away';
  const server = createServer(async (req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    calls.push(`${req.method} ${path}`);
    headers.push(req.headers);
    let text = '';
    for await (const part of req) text += part;
    const body = text === '' ? {} : JSON.parse(text);
    const send = (value: unknown, status = 200) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(value));
    };
    const run = runs.find((one) => path.includes(`/runs/${one.run_id}`));
    if (path.endsWith('/ok')) return send({ ok: true });
    if (path.endsWith('/threads')) return send({ thread_id: body.thread_id });
    if (path.endsWith('/state')) return send({ values: { messages: [{ content: answer }] } });
    if (path.endsWith('/cancel') && run) {
      run.status = 'interrupted';
      return send({});
    }
    if (run) return send(run);
    if (path.endsWith('/runs') && req.method === 'GET') return send(runs);
    if (path.endsWith('/runs')) {
      const made = { run_id: `r${runs.length}`, status: 'pending', ...body };
      runs.push(made);
      return send(made);
    }
    send({}, 404);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents/`;
  return { url, runs, calls, headers, close, say: (text: string) => (answer = text) };
}

function openWorld(url: string) {
  const outcomes: RunOutcome[] = [];
  const host = {
    progress() {},
    result: async (outcome: RunOutcome) => void outcomes.push(outcome),
  } as unknown as RunHost;
  const remote = createRemoteLauncher({ hostFor: () => host, poll_ms: 10 });
  const role = roleNamed('far', { url, headers: { 'x-api-key': 'k' }, graph_id: 'graph' });
  const world = openRoleServers({
    worker: fixture('good'),
    roles: [role],
    limits: { max_servers: 1 },
    launcherFor: () => remote,
  });
  return { ...world, outcomes };
}

test('it is asked whether it is there, used, and its outcome comes back', async () => {
  const peer = await openPeer();
  const world = openWorld(peer.url);
  const server = await claimed(world.supervisor.claim('far')).ready;
  expect(world.states()).toEqual(['attached']);
  expect(server).toMatchObject({ pid: null, endpoint: peer.url });
  const envelope = envelopeOf({ role: 'far' });
  await server.client.start(envelope);
  expect(peer.runs[0]).toMatchObject({
    assistant_id: 'graph',
    input: { messages: [{ role: 'user', content: 'hello' }] },
    metadata: { troupe_run_id: envelope.run_id },
  });
  (peer.runs[0] as Run).status = 'success';
  await until(() => world.outcomes.length === 1, 5_000, 'the outcome');
  expect(world.outcomes[0]).toMatchObject({ status: 'completed', text: 'from far away' });
  expect(peer.headers.every((one) => one['x-api-key'] === 'k')).toBe(true);
  expect(peer.calls[0]).toBe('GET /agents/ok');
  expect(world.ours()).toEqual([]);
});

test('a run that is there already is attached to, not started again', async () => {
  const peer = await openPeer();
  const world = openWorld(peer.url);
  const server = await claimed(world.supervisor.claim('far')).ready;
  const envelope = envelopeOf({ role: 'far' });
  const metadata = { troupe_run_id: envelope.run_id };
  peer.runs.push({ run_id: 'before', status: 'success', metadata, input: null });
  await server.client.start(envelope);
  await until(() => world.outcomes.length === 1, 5_000, 'the outcome');
  expect(peer.runs).toHaveLength(1);
});

test.each([
  ['error', 'failed', 'internal'],
  ['timeout', 'failed', 'run_timeout'],
  ['interrupted', 'failed', 'internal'],
])('a run that ends there as %s ends here as %s', async (status, expected, code) => {
  const peer = await openPeer();
  const world = openWorld(peer.url);
  const server = await claimed(world.supervisor.claim('far')).ready;
  await server.client.start(envelopeOf({ role: 'far' }));
  (peer.runs[0] as Run).status = status;
  await until(() => world.outcomes.length === 1, 5_000, 'the outcome');
  expect(world.outcomes[0]).toMatchObject({ status: expected, error: { code } });
});

test('a cancel reaches the other side', async () => {
  const peer = await openPeer();
  const world = openWorld(peer.url);
  const server = await claimed(world.supervisor.claim('far')).ready;
  const envelope = envelopeOf({ role: 'far' });
  await server.client.start(envelope);
  await server.client.cancel(envelope.run_id, 'enough');
  await until(() => world.outcomes.length === 1, 5_000, 'the outcome');
  expect(world.outcomes[0]).toMatchObject({ status: 'cancelled' });
});

test('one that cannot be reached is a visible error with its address', async () => {
  const world = openWorld('http://127.0.0.1:9');
  const error = await failure(claimed(world.supervisor.claim('far')).ready);
  expect(error).toMatchObject({ code: 'server_unreachable' });
  expect(error.message).toContain('127.0.0.1:9');
  expect(world.states()).toEqual(['failed_start']);
});

test('only what came after the agent’s last word is sent', () => {
  expect(
    newMessages([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three', kind: 'notice' },
    ]),
  ).toEqual([{ role: 'user', content: 'three' }]);
});

// A role server's HTTP server and main's client for it, over a real socket; the runner is a stand-in.
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { Envelope } from '../../src/domain/run.ts';
import { createChildServer, type Runner } from '../../src/wire/child-end.ts';
import { createRoleClient } from '../../src/wire/parent-end.ts';
import { proof } from '../../src/wire/protocol.ts';
import { envelopeOf } from '../support/envelope.ts';
import { until } from '../support/until.ts';

async function open() {
  const started: Envelope[] = [];
  const calls: string[] = [];
  let loads = 0;
  let shutdowns = 0;
  const runner: Runner = {
    start: (envelope) => {
      const known = started.find((one) => one.run_id === envelope.run_id);
      if (known && known.run_token !== envelope.run_token)
        throw new AppError('conflict', 'known with another token');
      if (!known) started.push(envelope);
    },
    cancel: async (run_id, reason) => void calls.push(`cancel ${run_id} ${reason}`),
    steer: (run_id, text) => (text === 'now' && run_id !== '' ? 'delivered' : 'missed'),
    status: (run_id) =>
      started.some((one) => one.run_id === run_id) ? { status: 'running' } : null,
    active: () => started.length,
    close: async () => {},
  };
  const server = createChildServer({
    role: 'coder',
    build: 'b1',
    nonce: 'n1',
    server_token: 'secret',
    loadRunner: async () => {
      loads += 1;
      return runner;
    },
    onShutdown: () => {
      shutdowns += 1;
    },
    log: silentLog,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const endpoint = `http://127.0.0.1:${port}`;
  const client = createRoleClient({ endpoint, server_token: 'secret', cancel_deadline_ms: 1_000 });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  const raw = (path: string, init: RequestInit = {}) =>
    fetch(endpoint + path, {
      ...init,
      headers: { authorization: 'Bearer secret', ...(init.headers as Record<string, string>) },
    });
  return { client, endpoint, raw, started, calls, loads: () => loads, shutdowns: () => shutdowns };
}

test('health proves who answers and loads nothing', async () => {
  const { client, loads } = await open();
  expect(await client.health('c1', 2_000)).toMatchObject({
    role: 'coder',
    pid: process.pid,
    build: 'b1',
    nonce_proof: proof('n1', 'health:c1'),
    active_runs: 0,
  });
  expect(loads()).toBe(0);
});

test('every route asks for the token', async () => {
  const { raw } = await open();
  const asks = [
    ['GET', '/health'],
    ['POST', '/threads/t/runs'],
    ['GET', '/threads/t/runs/r'],
    ['POST', '/threads/t/runs/r/cancel'],
    ['POST', '/threads/t/runs/r/messages'],
    ['POST', '/shutdown'],
    ['GET', '/nothing'],
  ];
  for (const [method = '', path = ''] of asks)
    for (const authorization of ['', 'Bearer wrong', 'Bearer secretly', 'secret']) {
      const res = await raw(path, { method, headers: { authorization } });
      expect([path, res.status]).toEqual([path, 401]);
    }
  expect((await raw('/nothing')).status).toBe(404);
});

test('a run is started once, found, steered and cancelled', async () => {
  const { client, raw, started, calls, loads } = await open();
  const envelope = envelopeOf();
  await client.start(envelope);
  await client.start(envelope);
  expect(started).toEqual([envelope]);
  expect(loads()).toBe(1);
  await expect(client.start({ ...envelope, run_token: 'another' })).rejects.toMatchObject({
    code: 'conflict',
  });
  const { run_id, thread_id } = envelope;
  const found = await raw(`/threads/${thread_id}/runs/${run_id}`);
  expect(await found.json()).toEqual({ run_id, status: 'running' });
  expect((await raw(`/threads/${thread_id}/runs/nobody`)).status).toBe(404);
  expect(await client.steer(run_id, 'now')).toBe('delivered');
  expect(await client.steer(run_id, 'later')).toBe('missed');
  await client.cancel(run_id, 'the person said so');
  expect(calls).toEqual([`cancel ${run_id} the person said so`]);
});

test('only an envelope that main could have made starts anything', async () => {
  const { raw, started } = await open();
  const good = envelopeOf({ thread_id: 't' });
  const post = (body: unknown) =>
    raw('/threads/t/runs', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const bad = [
    'not json',
    'null',
    {},
    { ...good, v: 2 },
    { ...good, run_token: undefined },
    { ...good, messages: 'hello' },
    { ...good, tools: [1] },
    { ...good, limits: null },
    { ...good, first_step: -1 },
    { ...good, thread_id: 'another' },
    { ...good, role: 'planner' },
  ];
  for (const body of bad) expect((await post(body)).status).toBe(400);
  expect((await post('x'.repeat(9 * 1024 * 1024))).status).toBe(413);
  expect(started).toEqual([]);
});

test('after shutdown nothing new starts, and it is said once', async () => {
  const { client, shutdowns } = await open();
  await client.shutdown(null);
  await client.shutdown(null);
  expect(shutdowns()).toBe(1);
  await client.shutdown(200);
  await until(() => shutdowns() === 2, 5_000, 'a shutdown that is more urgent is passed on');
  await expect(client.start(envelopeOf())).rejects.toMatchObject({ code: 'shutting_down' });
});

test('a server that is gone is unreachable, named with its address', async () => {
  const client = createRoleClient({
    endpoint: 'http://127.0.0.1:9',
    server_token: 'secret',
    cancel_deadline_ms: 1_000,
  });
  onTestFinished(() => client.close());
  await expect(client.start(envelopeOf())).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('127.0.0.1:9'),
  });
});

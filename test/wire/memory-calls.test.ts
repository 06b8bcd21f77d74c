// What an agent remembers, over real sockets: the remote host on one end, the internal listener on the other.
import { Agent } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { BrainCall } from '../../src/domain/brain.ts';
import type { MemoryCall } from '../../src/domain/memory.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { RunHost } from '../../src/domain/run.ts';
import { createInternalServer } from '../../src/wire/parent-end.ts';
import { createRemoteHost } from '../../src/wire/remote-host.ts';
import { noHost } from '../tools/tool-context.ts';

async function open(changes: Partial<RunHost>) {
  const host = { ...noHost, ...changes };
  const server = createInternalServer({
    hostFor: (token) => (token === 'run-token' ? host : null),
    log: silentLog,
  });
  const main_url = await server.listen();
  const agent = new Agent({ keepAlive: true });
  const lifeline = new AbortController();
  onTestFinished(async () => {
    lifeline.abort();
    agent.destroy();
    await server.close();
  });
  const remote = createRemoteHost({
    ...{ main_url, run_token: 'run-token', agent, lifeline: lifeline.signal, log: silentLog },
    pause: () => 5,
    onFenced: () => {},
  });
  return { remote, main_url };
}

test('memory and brain are asked as they were called, and answer as main does', async () => {
  const seen: unknown[] = [];
  const { remote, main_url } = await open({
    memory: async (call) => {
      seen.push(call);
      return { ok: false, code: 'bad_request', message: 'the layers are …' };
    },
    brain: async (call) => {
      seen.push(call);
      return { ok: true, op: 'query', notes: [], total: 0, branches: [] };
    },
  });
  const calls: MemoryCall[] = [
    { op: 'store', call_id: '1', content: '茶', layer: 'user', tags: ['a'] },
    { op: 'search', query: '차', layer: null, n: 3 },
    { op: 'correct', call_id: '2', record_id: 'mem_1', replacement: 'x', reason: null },
  ];
  for (const call of calls)
    expect(await remote.memory(call)).toEqual({
      ...{ ok: false, code: 'bad_request', message: 'the layers are …' },
    });
  const notes: BrainCall[] = [
    { op: 'record', call_id: '3', note: 'n' },
    { op: 'query', query: 'n', branch: null },
  ];
  for (const call of notes) expect(await remote.brain(call)).toMatchObject({ ok: true, total: 0 });
  expect(seen).toEqual([...calls, ...notes]);
  const malformed = [
    ['memory', { op: 'store', call_id: '1', content: 'x', layer: 'user' }],
    ['memory', { op: 'store', call_id: '1', content: 'x', layer: 'user', tags: [1] }],
    ['memory', { op: 'search', query: 'x', layer: 5, n: 1 }],
    ['memory', { op: 'search', query: 'x', layer: null, n: -1 }],
    ['memory', { op: 'correct', call_id: '1', record_id: 'r' }],
    ['brain', { op: 'record', note: 'x' }],
    ['brain', { op: 'query', query: 1, branch: null }],
  ] as const;
  for (const [path, call] of malformed) {
    const headers = { authorization: 'Bearer run-token' };
    const body = JSON.stringify({ call });
    const answer = await fetch(`${main_url}/internal/${path}`, { method: 'POST', headers, body });
    expect([call, answer.status]).toEqual([call, 400]);
  }
});

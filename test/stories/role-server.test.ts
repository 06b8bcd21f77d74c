// The built worker as main starts it: lean, quick to load, runs what it is sent, ends when it should.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ModelChunk, noUsage } from '../../src/domain/message.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { RunHost, RunOutcome } from '../../src/domain/run.ts';
import { createInternalServer, type RoleConnection } from '../../src/wire/parent-end.ts';
import { envelopeOf } from '../support/envelope.ts';
import { claimed, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const bin = join(import.meta.dirname, '../../dist/bin');
const worker = join(bin, 'worker.js');
const end: ModelChunk = { type: 'end', finish: 'stop', model: 'echo', usage: noUsage() };
type Model = RunHost['model'];
const echo: Model = async function* ({ messages }) {
  const last = messages.findLast((message) => message.role === 'user');
  yield { type: 'text', text: `heard: ${last?.content}` };
  yield end;
};
const silent: Model = async function* (_, signal) {
  yield { type: 'text', text: 'thinking' };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
};

async function open(model: Model, worker_file = worker) {
  const outcomes: RunOutcome[] = [];
  let calls = 0;
  const host: RunHost = {
    model(...args) {
      calls += 1;
      return model(...args);
    },
    step: async () => {},
    toolStarted: async () => {},
    tasks: async () => ({ ok: true, op: 'list', tasks: [] }),
    policy: async () => {},
    memory: async () => ({ ok: true, op: 'search', records: [] }),
    brain: async () => ({ ok: true, op: 'record', note_id: 1, others: 0 }),
    ask: async () => ({ ok: false, code: 'not_found', message: 'nobody here' }),
    progress() {},
    result: async (outcome) => void outcomes.push(outcome),
  };
  const internal = createInternalServer({
    hostFor: (token) => (token === 'run-token' ? host : null),
    log: silentLog,
  });
  const main_url = await internal.listen();
  const world = openRoleServers({
    worker: worker_file,
    roles: [roleNamed('coder')],
    fork: { main_url: () => main_url },
  });
  onTestFinished(() => internal.close());
  const claim = claimed(world.supervisor.claim('coder'));
  return { ...world, claim, outcomes, calls: () => calls, server: await claim.ready };
}

test('a run goes to the role server and its outcome comes back', async () => {
  const { server, outcomes } = await open(echo);
  await server.client.start(envelopeOf({ workdir: tempFolder() }));
  await until(() => outcomes.length === 1, 10_000, 'the outcome');
  expect(outcomes[0]).toMatchObject({ status: 'completed', text: 'heard: hello' });
});

test('a cancel ends the model call and is answered when it has gone', async () => {
  const { server, outcomes, calls } = await open(silent);
  const envelope = envelopeOf({ workdir: tempFolder() });
  await server.client.start(envelope);
  await until(() => calls() === 1, 10_000, 'the model call');
  await server.client.cancel(envelope.run_id, 'enough');
  await until(() => outcomes.length === 1, 5_000, 'the outcome');
  expect(outcomes[0]).toMatchObject({ status: 'cancelled' });
});

test('a stop lets the run finish first', async () => {
  let finish = (): void => {};
  const { server, supervisor, outcomes, calls } = await open(async function* () {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    yield { type: 'text', text: 'at last' };
    yield end;
  });
  await server.client.start(envelopeOf({ workdir: tempFolder() }));
  await until(() => calls() === 1, 10_000, 'the model call');
  const stopped = supervisor.stop('coder');
  finish();
  expect(await stopped).toMatchObject([{ state: 'stopped', last_exit: { code: 0 } }]);
  expect(outcomes).toMatchObject([{ status: 'completed', text: 'at last' }]);
});

test('a run whose token main no longer knows is stopped quietly', async () => {
  const { server, outcomes } = await open(echo);
  await server.client.start(envelopeOf({ workdir: tempFolder(), run_token: 'old' }));
  const client = server.client as RoleConnection;
  const idle = async () => (await client.health('c', 2_000)).active_runs === 0;
  await until(idle, 5_000, 'it has nothing to do any more');
  expect(outcomes).toEqual([]);
});

test('the program is lean: none of what belongs to main is in it', () => {
  const text = readFileSync(join(bin, 'worker.bundle.cjs'), 'utf8');
  expect(text.length).toBeLessThan(400_000);
  const modules = [...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name as string);
  const packages = modules.filter((name) => !name.startsWith('node:'));
  // Loaded only by the tools that need them.
  expect(packages.filter((name) => !['undici', '@vscode/ripgrep'].includes(name))).toEqual(
    packages.filter((name) => builtin(name)),
  );
  for (const foreign of ['fastify', 'better-sqlite3', 'ajv', 'pino', 'ai-sdk'])
    expect(text.toLowerCase()).not.toContain(`node_modules/${foreign}`);
});
const builtin = (name: string): boolean => process.getBuiltinModule(name) !== undefined;

test('the cached code is there, and the worker does without it or with a broken one', async () => {
  const cache = readdirSync(bin).find((name) => name.endsWith('.cache'));
  expect(cache).toContain(`${process.version}-${process.arch}`);
  const folder = tempFolder();
  for (const name of ['worker.js', 'worker.bundle.cjs'])
    copyFileSync(join(bin, name), join(folder, name));
  writeFileSync(join(folder, cache as string), 'not what V8 expects');
  const { server, outcomes } = await open(echo, join(folder, 'worker.js'));
  await server.client.start(envelopeOf({ workdir: tempFolder() }));
  await until(() => outcomes.length === 1, 10_000, 'the outcome');
  // It leaves a good one for the next start.
  await until(
    () => readFileSync(join(folder, cache as string)).length > 10_000,
    5_000,
    'a new cache',
  );
});

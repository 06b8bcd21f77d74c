// One chaos run: work and faults for a while, then peace in which everything must end, then the proof.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TroupeEvent } from '../../src/domain/event.ts';
import type { ServerInfo } from '../../src/domain/ports.ts';
import { type Client, createClient } from './client.ts';
import { type Clients, startClients } from './clients.ts';
import { drain } from './drain.ts';
import { FAULTS, type Fault, type Nemesis, startNemesis } from './nemesis.ts';
import { createNow } from './now.ts';
import { familyOf, type Proc } from './processes.ts';
import { keepRunning } from './product.ts';
import {
  type AgentRow,
  breachesOf,
  type Evidence,
  type QueryRow,
  type Tally,
  type TaskRow,
  tally,
} from './proof.ts';
import { createRandom } from './random.ts';
import { openReader, type Reader } from './reader.ts';
import { createWork } from './work.ts';

export type ChaosAsk = {
  seconds: number;
  seed: number;
  /** Pieces of work a second. */
  rate: number;
  max_subagents: number;
  /** Faults that must have met work; all unless named. */
  prove?: readonly Fault[];
};
export type ChaosReport = {
  seed: number;
  seconds: number;
  faults: Nemesis['all'];
  faults_at_work: Nemesis['at_work'];
  main_killed_while: Nemesis['moments'];
  main_starts: { count: number; slowest_ms: number };
  slowest_end_ms: number;
  acts: Clients['acts'];
  tally: Tally;
  tasks: number;
  attempts: number;
  events: number;
  reader_connections: number;
  drained_in_ms: number;
  /** Empty: the run has proved what it had to. */
  breaches: string[];
  /** The folder of the run; gone when there was no breach. */
  folder: string;
};

/** A call of a client that no main has answered for so long is a breach of its own. */
const CALL_MS = 90_000;
/** What was told to end is reaped within this. */
const GONE_MS = 5_000;

async function gather(client: Client, readers: Reader[], clients: Clients): Promise<Evidence> {
  const [everything, subagents] = readers as [Reader, Reader];
  const tasks = await client.all<TaskRow>('/v1/tasks');
  const agents = await client.all<AgentRow>('/v1/subagents');
  const queries = await client.all<QueryRow>('/v1/queries');
  const { slots } = await client.get<{ slots: Evidence['slots'] }>('/v1/status');
  const log = await client.all<TroupeEvent>('/v1/events');
  const last = log.at(-1)?.seq ?? 0;
  // What was stored last needs a moment to reach a reader.
  for (let n = 0; n < 100 && (everything.seen.at(-1)?.seq ?? 0) < last; n += 1) await pause(50);
  await pause(100);
  const ran = new Map<string, number>();
  for (const { query_id, workdir } of queries)
    try {
      ran.set(query_id, readFileSync(join(workdir, 'ran'), 'utf8').trim().split('\n').length);
    } catch {
      // its command was never run, or it has none
    }
  const upTo = <T extends { seq: number }>(list: T[]): T[] => list.filter(({ seq }) => seq <= last);
  return {
    ...{ accepted: clients.accepted, log, tasks, agents, queries, slots, ran },
    read: upTo(everything.seen),
    read_subagents: upTo(subagents.seen),
  };
}

async function leftOf(instances: string[]): Promise<Proc[]> {
  const deadline = performance.now() + GONE_MS;
  for (;;) {
    const left = familyOf(instances);
    if (left.length === 0 || performance.now() > deadline) return left;
    await pause(50);
  }
}

/** A run in which a kind of fault never met work has proved nothing about it. */
const unproved = (nemesis: Nemesis, prove: readonly Fault[]): string[] =>
  prove
    .filter((fault) => nemesis.at_work[fault] === 0)
    .map((fault) => `the run proved nothing: ${fault} never happened while runs were at work`);

export async function runChaos(ask: ChaosAsk): Promise<ChaosReport> {
  const { seed, seconds } = ask;
  const folder = mkdtempSync(join(tmpdir(), 'troupe-chaos-'));
  const product = keepRunning(folder, ask.max_subagents);
  const { url } = product;
  const fold = createNow();
  product.onEnd(fold.restarted);
  const readers = [
    openReader({ url, onEvent: fold.take }),
    openReader({ url, filter: 'kinds=subagent' }),
  ];
  const client = createClient(() => {
    if (product.givenUp()) throw new Error(product.surprises[0]);
    return url();
  }, CALL_MS);
  const breaches: string[] = [];
  try {
    await client.get('/v1/status');
    const clients = startClients({
      ...{ client, rate: ask.rate, random: createRandom(seed + 1) },
      next: createWork(seed, createRandom(seed)),
    });
    const nemesis = startNemesis({
      ...{ product, random: createRandom(seed + 2), now: fold.now },
      servers: async () => (await client.get<{ data: ServerInfo[] }>('/v1/servers')).data,
    });
    await pause(seconds * 1000);
    await nemesis.stop();
    await clients.stop();
    const begun = performance.now();
    breaches.push(...(await drain(client)));
    const drained_in_ms = Math.round(performance.now() - begun);
    const evidence = await gather(client, readers, clients);
    const code = await product.stop();
    if (code !== 0) breaches.push(`the last stop ended with ${code}\n${product.output()}`);
    for (const { pid, command } of await leftOf(product.instances()))
      breaches.push(`process ${pid} is left: ${command}`);
    breaches.push(...clients.odd, ...product.surprises, ...unproved(nemesis, ask.prove ?? FAULTS));
    breaches.push(...breachesOf(evidence));
    return {
      ...{ seed, seconds, breaches, folder, drained_in_ms },
      ...{ faults: nemesis.all, faults_at_work: nemesis.at_work },
      ...{ main_killed_while: nemesis.moments, main_starts: product.starts() },
      ...{ slowest_end_ms: nemesis.slowest_end_ms(), acts: clients.acts, tally: tally(evidence) },
      ...{ tasks: evidence.tasks.length, attempts: evidence.agents.length },
      events: evidence.log.length,
      reader_connections: readers.reduce((sum, reader) => sum + reader.connections(), 0),
    };
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
    product.abandon();
    if (breaches.length === 0) rmSync(folder, { recursive: true, force: true });
  }
}

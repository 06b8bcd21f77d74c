// The peace after the faults: everything that was accepted must end by itself. What does not move for a while is
// stuck, and is shown with its rows and events.
import { setTimeout as pause } from 'node:timers/promises';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { isOpenQuery } from '../../src/domain/query.ts';
import { isOpenTask } from '../../src/domain/task.ts';
import type { Client } from './client.ts';
import type { QueryRow, TaskRow } from './proof.ts';

type Status = {
  last_seq: number;
  slots: { held: number; lent: number; queued: number; runs: number };
  queries: { running: number; queued: number };
};

/** The longest silence of a run in peace: three missed probes of a hung role server and its new start. */
const STUCK_MS = 20_000;
/** A long queue may take this long if it moves. */
const MOST_MS = 300_000;
const LOOK_MS = 250;
/** Stuck pieces that are shown whole, and events of each. */
const SHOWN = 3;
const SHOWN_EVENTS = 30;

const short = ({ seq, at, kind, state, detail, agent_id }: TroupeEvent): string =>
  `  ${seq} ${at} ${kind} ${state} ${agent_id ?? ''} ${detail.slice(0, 160)}`;

async function describeStuck(client: Client, why: string, status: Status): Promise<string[]> {
  const tasks = (await client.all<TaskRow>('/v1/tasks')).filter((t) => isOpenTask(t.status));
  const queries = (await client.all<QueryRow>('/v1/queries')).filter((q) => isOpenQuery(q.status));
  const servers = await client.get<object>('/v1/servers');
  const parts = [
    `${why}: ${tasks.length} tasks and ${queries.length} queries are open`,
    `status ${JSON.stringify(status)}`,
    `servers ${JSON.stringify(servers)}`,
  ];
  for (const task of tasks.slice(0, SHOWN)) {
    const events = await client.all<TroupeEvent>(`/v1/tasks/${task.task_id}/events`);
    parts.push(JSON.stringify(task), ...events.slice(-SHOWN_EVENTS).map(short));
  }
  for (const { query_id } of queries.slice(0, SHOWN)) {
    const events = await client.all<TroupeEvent>(`/v1/queries/${query_id}/events`);
    parts.push(`query ${query_id}`, ...events.slice(-SHOWN_EVENTS).map(short));
  }
  return [parts.join('\n')];
}

/** Resolves when nothing is open any more, or with what is stuck. */
export async function drain(client: Client): Promise<string[]> {
  const begun = performance.now();
  let last_seq = -1;
  let moved = begun;
  for (;;) {
    const status = await client.get<Status>('/v1/status');
    const { slots, queries } = status;
    const left = slots.held + slots.lent + slots.queued + slots.runs;
    if (left + queries.running + queries.queued === 0) return await openRows(client, status);
    const now = performance.now();
    if (status.last_seq !== last_seq) moved = now;
    last_seq = status.last_seq;
    if (now - moved > STUCK_MS) return describeStuck(client, 'stuck', status);
    if (now - begun > MOST_MS) return describeStuck(client, 'not done in time', status);
    await pause(LOOK_MS);
  }
}

/** Nothing is at work and nothing waits: then no row may be open. */
async function openRows(client: Client, status: Status): Promise<string[]> {
  await pause(1_000);
  const tasks = await client.all<TaskRow>('/v1/tasks');
  const queries = await client.all<QueryRow>('/v1/queries');
  const open =
    tasks.some((t) => isOpenTask(t.status)) || queries.some((q) => isOpenQuery(q.status));
  return open ? describeStuck(client, 'nobody works on them', status) : [];
}

// Follows one query live: its own events and the role servers that its tasks bring up, told line by line.
// Reads only; whether to cancel is decided elsewhere.
import type { TroupeEvent } from '../domain/event.ts';
import { joinSignals } from '../domain/join-signals.ts';
import { isOpenQuery, type Query, type QueryStatus } from '../domain/query.ts';
import type { Subagent } from '../domain/subagent.ts';
import type { Cli } from './cli.ts';
import { type Client, segment } from './client.ts';
import { type Known, lineParts, narrate } from './narrate.ts';
import { follow } from './stream.ts';

/** Server events of roles that this query has not asked for (yet); older ones go first. */
const HELD = 200;

export const endsQuery = (event: TroupeEvent): boolean =>
  event.kind === 'query' && !isOpenQuery(event.state as QueryStatus);

const waitsForPerson = ({ kind, state, data }: TroupeEvent): boolean =>
  kind === 'review' && state === 'pending' && data.blocking === true;

/** Tells events in the order they come; each sequence once, whichever stream brings it first. */
function createTeller(cli: Cli, client: Client) {
  const agents = new Map<string, Known>();
  const roles = new Set<string>();
  const told = new Set<number>();
  let held: TroupeEvent[] = [];

  async function know(event: TroupeEvent): Promise<Known | null> {
    const id = event.agent_id;
    if (id === null) return null;
    const before = agents.get(id) ?? null;
    // Pid and port exist only once it runs: then ask again.
    const stale = event.kind === 'subagent' && event.state === 'running' && before?.pid == null;
    if (before !== null && !stale) return before;
    try {
      const now = await client.get<Subagent>(`/v1/subagents/${segment(id)}`);
      agents.set(id, now);
      return now;
    } catch {
      return before;
    }
  }
  async function tell(event: TroupeEvent): Promise<void> {
    if (told.has(event.seq)) return;
    if (event.kind === 'server' && event.role !== null && !roles.has(event.role)) {
      held = [...held.slice(1 - HELD), event];
      return;
    }
    told.add(event.seq);
    if (cli.json) cli.term.json(event);
    else {
      const line = narrate(event, await know(event));
      if (line !== null) cli.term.line(...lineParts(line, cli.term.columns()));
    }
    if (event.kind !== 'subagent' || event.role === null || roles.has(event.role)) return;
    roles.add(event.role);
    const due = held.filter(({ role }) => role === event.role);
    held = held.filter(({ role }) => role !== event.role);
    for (const server of due) await tell(server);
  }
  // One after the other: a line that waits for a look-up must not be overtaken.
  let turn: Promise<void> = Promise.resolve();
  return (event: TroupeEvent): Promise<void> => {
    turn = turn.then(() => tell(event));
    return turn;
  };
}

/** Resolves with the status the query ended with, or null when `signal` ended the following. */
export async function followQuery(
  cli: Cli,
  client: Client,
  query_id: string,
  signal: AbortSignal,
  /** Somebody waits for a person; the following goes on when it resolves. */
  onReview: (review_id: string) => Promise<void>,
): Promise<QueryStatus | null> {
  const tell = createTeller(cli, client);
  const path = `/v1/queries/${segment(query_id)}`;
  const done = new AbortController();
  const stop = joinSignals([signal, done.signal]);
  let status: QueryStatus | null = null;
  let lastServer = 0;
  let servers: Promise<void> | null = null;

  async function ended(): Promise<boolean> {
    const query = await client.get<Query>(path);
    if (isOpenQuery(query.status)) return false;
    status = query.status;
    return true;
  }
  /** Role servers belong to no query: a second stream, from this query's first event on. */
  async function followServers(after: number): Promise<void> {
    lastServer = after;
    const events = follow(client, {
      path: '/v1/events',
      params: { kinds: 'server' },
      after,
      signal: stop.signal,
    });
    for await (const event of events) {
      lastServer = event.seq;
      await tell(event);
    }
  }
  /** What the second stream has not brought yet when the first one brings the end. */
  async function catchUp(before: number): Promise<void> {
    const missed = await client.list<TroupeEvent>(
      '/v1/events',
      { kinds: 'server', after: lastServer },
      1000,
    );
    for (const event of missed) if (event.seq < before) await tell(event);
  }
  const onLink = (state: 'lost' | 'back', reason: string) =>
    cli.term.note({
      tone: 'warn',
      text: state === 'back' ? 'connected again' : `connection lost, trying again: ${reason}`,
    });
  try {
    const events = follow(client, {
      path: `${path}/events`,
      after: 0,
      signal: stop.signal,
      onLink,
      ended,
    });
    for await (const event of events) {
      servers ??= followServers(event.seq).catch(() => {});
      if (endsQuery(event)) {
        await catchUp(event.seq).catch(() => {});
        await tell(event);
        return event.state as QueryStatus;
      }
      await tell(event);
      if (waitsForPerson(event)) await onReview(String(event.data.review_id));
    }
    return status;
  } finally {
    done.abort();
    await servers;
    stop.release();
  }
}

// The services of the HTTP surface in memory, with the real hub and the real idempotency rows on a map.

import { Readable } from 'node:stream';
import { AppError } from '../../src/domain/errors.ts';
import { matches, type NewEvent, type TroupeEvent } from '../../src/domain/event.ts';
import {
  type IdempotencyRow,
  type Page,
  type PageAsk,
  systemClock,
  type Tx,
} from '../../src/domain/ports.ts';
import { isOpenQuery, type Query } from '../../src/domain/query.ts';
import type { Subagent } from '../../src/domain/subagent.ts';
import { isOpenTask, type Task } from '../../src/domain/task.ts';
import { createHub } from '../../src/events/hub.ts';
import { createIdempotency } from '../../src/http/idempotency-rows.ts';
import type { Services } from '../../src/http/services.ts';
import { fakeMemory } from './fake-memory.ts';
import { fakePrompts } from './fake-prompts.ts';
import { fakeReviews } from './fake-reviews.ts';
import { fakeUpkeep } from './fake-upkeep.ts';
import { attemptRow, queryRow, readyServer, roleRow, rootNode, taskRow } from './rows.ts';

function page<T>(rows: T[], ask: PageAsk): Page<T> {
  const from = ask.cursor === null ? 0 : Number(ask.cursor);
  if (!Number.isInteger(from)) throw new AppError('bad_request', 'cursor is not one of ours');
  const next = from + ask.limit < rows.length ? String(from + ask.limit) : null;
  return { data: rows.slice(from, from + ask.limit), next_cursor: next };
}

export function createFakes() {
  const log: TroupeEvent[] = [];
  const events = {
    after: async (after: number, filter: object, limit: number) =>
      log.filter((e) => e.seq > after && matches(e, filter)).slice(0, limit),
    last: async () => log.length,
    removed: async () => 0,
  };
  const hub = createHub({ reads: { events }, ringSize: 500, drainMs: 2_000 });
  function emit(event: NewEvent): TroupeEvent {
    const full: TroupeEvent = {
      detail: '',
      query_id: null,
      task_id: null,
      agent_id: null,
      role: null,
      data: {},
      ...event,
      seq: log.length + 1,
      at: new Date().toISOString(),
    };
    log.push(full);
    hub.publish([full]);
    return full;
  }
  const tasks = new Map<string, { task: Task; attempts: Subagent[] }>();
  const queries = new Map<string, Query>();
  const bells = new Set<() => void>();
  const calls: { name: string; args: unknown[] }[] = [];
  const noteCall = (name: string, ...args: unknown[]) => calls.push({ name, args });
  const at = () => new Date().toISOString();
  const task = (id: string) => {
    const found = tasks.get(id);
    if (!found) throw new AppError('not_found', `no task ${id}; ids are given whole`);
    return found;
  };
  const query = (id: string): Query => {
    const found = queries.get(id);
    if (!found) throw new AppError('not_found', `no query ${id}; ids are given whole`);
    return found;
  };
  async function wait(ended: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ms;
    while (!ended() && !signal.aborted && performance.now() < deadline)
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          bells.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, deadline - performance.now());
        bells.add(done);
        signal.addEventListener('abort', done);
      });
  }
  const ring = () => {
    for (const bell of [...bells]) bell();
  };
  /** Moves a task and its latest attempt, and tells the hub. */
  function moveTask(task_id: string, status: Task['status'], result: string | null = null): void {
    const found = task(task_id);
    found.task = { ...found.task, status, result, updated_at: at() };
    const last = found.attempts.at(-1);
    if (last) found.attempts[found.attempts.length - 1] = { ...last, state: status };
    emit({
      kind: 'subagent',
      state: status,
      task_id,
      query_id: found.task.query_id,
      role: 'coder',
    });
    ring();
  }
  function moveQuery(query_id: string, status: Query['status']): void {
    queries.set(query_id, { ...query(query_id), status, updated_at: at() });
    emit({ kind: 'query', state: status, query_id });
    ring();
  }
  /** Model text of a task. */
  function say(task_id: string, text: string): void {
    const found = task(task_id);
    found.task = { ...found.task, partial_output: found.task.partial_output + text };
    emit({ kind: 'output', state: 'text', task_id, data: { text } });
  }
  const idempotencyRows = new Map<string, IdempotencyRow>();
  const place = (...parts: string[]) => parts.join(' ');
  const tx = {
    get at() {
      return at();
    },
    idempotency: {
      get: async (a: string, r: string, k: string) => idempotencyRows.get(place(a, r, k)) ?? null,
      put: async (row: IdempotencyRow) => {
        idempotencyRows.set(place(row.api_key, row.route, row.key), row);
      },
      prune: async () => {},
    },
  } as unknown as Tx;
  const store = { tx: <T>(work: (t: Tx) => Promise<T>) => work(tx) };

  function newTask(subagent_type: string, description: string): Task {
    const made = taskRow(subagent_type, description);
    tasks.set(made.task_id, { task: made, attempts: [attemptRow(made)] });
    return made;
  }

  const reviews = fakeReviews(tx);
  const services: Services = {
    reviews,
    events,
    hub,
    tasks: {
      async start(input, also) {
        noteCall('start', input);
        if (input.subagent_type !== 'coder')
          throw new AppError('unknown_role', `unknown role "${input.subagent_type}"`, {
            data: { known: ['coder'] },
          });
        const made = newTask(input.subagent_type, input.description);
        await also?.(tx, made);
        emit({
          kind: 'subagent',
          state: 'created',
          task_id: made.task_id,
          query_id: made.query_id,
        });
        return made;
      },
      get: async (id) => task(id),
      wait: (id, ms, signal) => wait(() => !isOpenTask(task(id).task.status), ms, signal),
      list: async (ask) =>
        page(
          [...tasks.values()]
            .map((t) => t.task)
            .filter((t) => ask.status === undefined || t.status === ask.status)
            .reverse(),
          ask,
        ),
      async message(id, text, mode) {
        noteCall('message', id, text, mode);
        return { task: task(id).task, delivery: mode === 'enqueue' ? 'queued' : 'delivered' };
      },
      async cancel(id, reason) {
        noteCall('cancel', id, reason);
        const { status } = task(id).task;
        if (!isOpenTask(status))
          throw new AppError('conflict', `task ${id} is already ${status}; nothing was changed`, {
            data: { status },
          });
        moveTask(id, 'cancelled');
        return task(id);
      },
      async retry(id) {
        moveTask(id, 'created');
        return task(id);
      },
      async forensics(id) {
        const { task: row, attempts } = task(id);
        const [first] = attempts;
        return {
          task_id: row.task_id,
          agent_id: first?.agent_id ?? '',
          role: row.subagent_type,
          ordinal: 1,
          state: row.status,
          reasons: [],
          started_at: row.created_at,
          last_seen_at: row.updated_at,
          last_call: null,
          open_calls: [],
          last_output: '',
          files_changed: [],
          actions: ['resume'],
        };
      },
      discard: async (id) => task(id),
    },
    queries: {
      async create(input, options, also) {
        noteCall('create', input, options);
        const made = queryRow(input.input, options);
        queries.set(made.query_id, made);
        await also?.(tx, made);
        emit({ kind: 'query', state: 'queued', query_id: made.query_id });
        return made;
      },
      get: async (id) => query(id),
      wait: (id, ms, signal) => wait(() => !isOpenQuery(query(id).status), ms, signal),
      list: async (ask) => page([...queries.values()].reverse(), ask),
      async message(id, text) {
        noteCall('messageQuery', id, text);
        moveQuery(id, 'running');
        return query(id);
      },
      async cancel(id) {
        moveQuery(id, 'cancelled');
        return query(id);
      },
      tree: async (id) => rootNode(query(id)),
      files: async (id) => [{ path: `of-${query(id).kind}.txt`, size: 5, modified_at: at() }],
      async openFile(id, path) {
        noteCall('openFile', id, path);
        query(id);
        if (path.includes('..')) throw new AppError('not_found', `no file "${path}"`);
        return { stream: Readable.from(['hello']), size: 5, name: path.split('/').at(-1) ?? '' };
      },
      zip: async (id) => Readable.from([`PK ${query(id).query_id}`]),
      result: async (id) => ({ query_id: query(id).query_id, status: query(id).status }),
    },
    subagents: {
      async get(id) {
        const all = [...tasks.values()].flatMap((t) => t.attempts);
        const found = all.find((a) => a.agent_id === id);
        if (!found) throw new AppError('not_found', `no subagent ${id}`);
        return { ...found, holds_slot: false };
      },
      list: async (ask) =>
        page(
          [...tasks.values()].flatMap((t) => t.attempts.map((a) => ({ ...a, holds_slot: false }))),
          ask,
        ),
    },
    supervisor: {
      list: () => [readyServer('coder')],
      start: async (name) => readyServer(name),
      stop: async (name) => [{ ...readyServer(name), state: 'draining' }],
      restart: async (name) => readyServer(name),
      log: async (_name, lines) => Array.from({ length: lines }, (_, i) => `line ${i}`),
    },
    roles: {
      list: () => [roleRow('coder')],
      get: (name) =>
        name === 'coder' ? { role: roleRow('coder'), sources: { model: 'default' } } : null,
    },
    prompts: fakePrompts(),
    models: { onTry() {} },
    ...fakeMemory(noteCall),
    upkeep: fakeUpkeep(noteCall, at),
    status: async () => ({ version: '0.0.0-test' }),
    limits: async () => ({ max_subagents: 30 }),
    settings: () => [{ key: 'server.port', value: 8787, source: 'default', doc: 'Port.' }],
    ready: () => ({
      ok: true,
      checks: { store: { ok: true, critical: true, detail: 'writable' } },
    }),
  };
  const idempotency = createIdempotency({ store, clock: systemClock });
  return {
    services,
    reviews: reviews.rows,
    idempotency,
    idempotencyRows,
    emit,
    log,
    hub,
    moveTask,
    moveQuery,
    say,
    waiters: () => bells.size,
    newTask,
    calls,
  };
}
export type Fakes = ReturnType<typeof createFakes>;

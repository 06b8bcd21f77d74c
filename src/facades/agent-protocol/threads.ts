// Threads: made by callers before there is any work on them, or found where a task or a query has one.
import { AppError } from '../../domain/errors.ts';
import { isUuid, uuidv7 } from '../../domain/ids.ts';
import type { Tx } from '../../domain/ports.ts';
import type { ProtocolRun, ProtocolThread, ThreadStatus } from '../../domain/protocol.ts';
import { isOpenQuery } from '../../domain/query.ts';
import { isOpenTask } from '../../domain/task.ts';
import { MAIN } from './assistants.ts';
import type { ProtocolDeps } from './deps.ts';
import { contains } from './filter.ts';
import { isJson, type Json, readMessages } from './messages.ts';
import { interruptsOf } from './person.ts';
import { createStates, NODE, type Open } from './state.ts';
import { type Look, lookAt, threadStatus } from './status.ts';

export type NewThread = {
  thread_id?: string | undefined;
  metadata?: Json | undefined;
  if_exists?: 'raise' | 'do_nothing' | undefined;
};
export type ThreadFilter = {
  ids?: string[] | undefined;
  metadata?: Json | undefined;
  values?: Json | undefined;
  status?: ThreadStatus | undefined;
};
/** Rows that one search looks at, at most: older threads are found by their ids. */
const SCANNED = 10_000;
const PAGE = 200;

export const newRun = (
  of: Pick<ProtocolRun, 'run_id' | 'thread_id' | 'assistant'>,
  at: string,
): ProtocolRun => ({
  ...of,
  work_id: of.run_id,
  state: 'waiting',
  status: null,
  reason: null,
  error: null,
  strategy: 'enqueue',
  metadata: {},
  request: {},
  values_before: null,
  not_before: null,
  from_seq: 0,
  from_checkpoint: 0,
  to_seq: null,
  to_checkpoint: null,
  created_at: at,
  updated_at: at,
});

export const newThread = (
  of: Partial<ProtocolThread> & { thread_id: string },
  at: string,
): ProtocolThread => ({
  assistant: null,
  metadata: {},
  values: {},
  temporary: false,
  created_at: at,
  updated_at: at,
  ...of,
});

/** Ids are compared in one form; what is none is not found. */
export function cleanId(id: string): string {
  const clean = id.trim().toLowerCase();
  if (isUuid(clean)) return clean;
  throw new AppError('bad_request', `"${id.slice(0, 100)}" is not an id; ids are UUIDs`);
}
const unknown = (id: string): AppError =>
  new AppError('not_found', `no thread ${id.slice(0, 100)}; ids are given whole`);

export function createThreads({ store, log }: ProtocolDeps, wake: (thread_id: string) => void) {
  const { reads } = store;
  const states = createStates(reads);

  /** Work that was started through the native API is a thread, too, from the first time that it is asked for. */
  async function adopt(thread_id: string): Promise<ProtocolThread | null> {
    const task = await reads.tasks.get(thread_id);
    const query = task ? null : await reads.queries.get(thread_id);
    if (!task && query?.kind !== 'agent') return null;
    const assistant = task?.subagent_type ?? MAIN;
    const at = (task ?? query)?.created_at ?? '';
    const run_id = task?.run_id ?? uuidv7();
    const made = await store.tx(async (t) => {
      const known = await t.protocol.thread(thread_id);
      if (known) return known;
      const thread = newThread({ thread_id, assistant }, at);
      await t.protocol.insertThread(thread);
      const run = { ...newRun({ run_id, thread_id, assistant }, at), state: 'started' as const };
      await t.protocol.insertRun(run);
      return thread;
    });
    log.debug({ thread_id }, 'a task or a query is a thread from now on');
    wake(thread_id);
    return made;
  }

  async function find(id: string): Promise<ProtocolThread> {
    const thread_id = cleanId(id);
    const found = (await reads.protocol.thread(thread_id)) ?? (await adopt(thread_id));
    if (found) return found;
    throw unknown(thread_id);
  }

  /** Work on the thread that no run of the protocol has started. */
  async function atWork({ thread_id, assistant }: ProtocolThread): Promise<boolean> {
    if (assistant === null) return false;
    if (assistant !== MAIN) {
      const task = await reads.tasks.get(thread_id);
      return task !== null && isOpenTask(task.status);
    }
    const query = await reads.queries.get(thread_id);
    return query !== null && isOpenQuery(query.status);
  }

  async function standOf(
    thread: ProtocolThread,
  ): Promise<Open & { status: ThreadStatus; last: Look | null }> {
    const runs = await reads.protocol.runsOf(thread.thread_id);
    const looks: Look[] = [];
    for (const run of runs) looks.push(await lookAt(reads, run));
    let status = threadStatus(looks);
    if (!looks.some(({ open }) => open) && (await atWork(thread))) status = 'busy';
    const last = looks.at(-1) ?? null;
    const error = last && !last.open && last.status !== 'interrupted' ? last.error : null;
    const interrupts = status === 'interrupted' ? await interruptsOf(reads, thread) : [];
    return { status, last, error, busy: status === 'busy', interrupts };
  }

  async function view(thread: ProtocolThread): Promise<Json> {
    const { thread_id, metadata, created_at, updated_at } = thread;
    const { status, error, interrupts } = await standOf(thread);
    const state = await states.latest(thread, { busy: false, error: null, interrupts: [] });
    const changed = [updated_at, state.created_at ?? ''].sort().at(-1);
    return {
      thread_id,
      created_at,
      updated_at: changed,
      state_updated_at: state.created_at ?? updated_at,
      metadata:
        thread.assistant === null ? metadata : { assistant_id: thread.assistant, ...metadata },
      status,
      config: {},
      values: state.values,
      interrupts: interrupts.length > 0 ? { [NODE]: interrupts } : {},
      error,
    };
  }

  async function search(filter: ThreadFilter, most: number): Promise<ProtocolThread[]> {
    const found: ProtocolThread[] = [];
    const fits = async (thread: ProtocolThread): Promise<boolean> =>
      !thread.temporary &&
      contains(thread.metadata, filter.metadata ?? {}) &&
      (filter.status === undefined || (await standOf(thread)).status === filter.status) &&
      (filter.values === undefined || contains(await states.values(thread), filter.values));
    if (filter.ids) {
      for (const id of filter.ids) {
        const thread = await reads.protocol.thread(cleanId(id));
        if (thread && (await fits(thread))) found.push(thread);
      }
      return found.slice(0, most);
    }
    for (let from = 0; from < SCANNED && found.length < most; from += PAGE) {
      const page = await reads.protocol.threads(PAGE, from);
      for (const thread of page) if (await fits(thread)) found.push(thread);
      if (page.length < PAGE) break;
    }
    return found.slice(0, most);
  }

  /** Messages that a caller puts on the thread are a checkpoint of their own. */
  async function addMessages(t: Tx, thread_id: string, messages: unknown): Promise<void> {
    const read = readMessages(messages);
    if (read.length === 0) return;
    const { next_step } = await t.checkpoints.thread(thread_id);
    const row = { thread_id, run_id: uuidv7(), step: next_step, messages: read };
    await t.checkpoints.append(row);
  }

  async function refuseBusy(thread: ProtocolThread, what: string): Promise<void> {
    if (!(await standOf(thread)).busy) return;
    throw new AppError('conflict', `thread ${thread.thread_id} is busy; ${what}`);
  }

  return {
    find,
    view,
    standOf,
    search,
    states,
    /** The state after a checkpoint of the thread; null: the latest. Without what comes next. */
    async stateAt(thread_id: string, seq: number | null) {
      const thread = await find(thread_id);
      return states.upTo(thread, seq);
    },
    interruptsOf: async (thread_id: string) => interruptsOf(reads, await find(thread_id)),
    async create({ thread_id: id, metadata = {}, if_exists = 'raise' }: NewThread) {
      const thread_id = id === undefined ? uuidv7() : cleanId(id);
      if (id !== undefined) {
        const known = (await reads.protocol.thread(thread_id)) ?? (await adopt(thread_id));
        if (known && if_exists === 'do_nothing') return known;
        if (known)
          throw new AppError(
            'conflict',
            `thread ${thread_id} exists; if_exists "do_nothing" takes it`,
          );
      }
      return store.tx(async (t) => {
        const known = await t.protocol.thread(thread_id);
        if (known) return known;
        const thread = newThread({ thread_id, metadata }, t.at);
        await t.protocol.insertThread(thread);
        return thread;
      });
    },
    async patch(thread: ProtocolThread, metadata: Json): Promise<ProtocolThread> {
      const { thread_id } = thread;
      await store.tx((t) =>
        t.protocol.patchThread(thread_id, { metadata: { ...thread.metadata, ...metadata } }),
      );
      return find(thread_id);
    },
    /** Appends messages and sets values, as a new checkpoint; never while a run is at work. */
    async update(thread: ProtocolThread, values: unknown): Promise<void> {
      await refuseBusy(thread, 'its state cannot be changed now');
      const given = values === null || values === undefined ? {} : values;
      if (!isJson(given)) throw new AppError('bad_request', 'values is an object');
      const { messages, ...others } = given;
      await store.tx(async (t) => {
        await addMessages(t, thread.thread_id, messages);
        const all = { ...(await t.protocol.thread(thread.thread_id))?.values, ...others };
        await t.protocol.patchThread(thread.thread_id, { values: all });
      });
    },
    async copy(thread: ProtocolThread): Promise<ProtocolThread> {
      const { messages } = await reads.checkpoints.thread(thread.thread_id);
      const thread_id = uuidv7();
      return store.tx(async (t) => {
        const { metadata, values } = thread;
        const made = newThread({ thread_id, metadata, values }, t.at);
        await t.protocol.insertThread(made);
        if (messages.length > 0)
          await t.checkpoints.append({ thread_id, run_id: uuidv7(), step: 0, messages });
        return made;
      });
    },
  };
}
export type Threads = ReturnType<typeof createThreads>;

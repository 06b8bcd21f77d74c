// The shared brain of a query: notes are durable when they are acknowledged, and read by everyone in the query at once.
// Notes that come close together share one unit of work. Never puts a note anywhere by itself: readers ask.
import {
  type BrainNote,
  MAIN_BRANCH,
  type NewNote,
  NOTE_LIMIT,
  type Speaker,
} from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import type { Page, Store } from '../domain/ports.ts';
import { MAIN_AGENT } from '../domain/subagent.ts';
import { oneLine } from '../domain/text.ts';
import { visibleText } from '../domain/visible-text.ts';
import { indexed } from './words.ts';

/** A note waits this long for company; nobody notices, and twenty agents at once are one fsync. */
const WAIT_MS = 50;
const FULL = 20;
/** Notes that one question is answered with: the newest. */
const MOST_SHOWN = 50;
const PAGE = 1_000;

type Waiting = { note: NewNote; resolve(note_id: number): void; reject(error: unknown): void };

export type BrainDeps = {
  store: Store;
  /** Milliseconds that a note waits for others; 0: none does. For measurements. */
  wait_ms?: number;
};

export function createBrain({ store, wait_ms = WAIT_MS }: BrainDeps) {
  const { reads } = store;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  const put = (batch: readonly Waiting[]): Promise<number[]> =>
    store.tx(async (t) => {
      const numbers: number[] = [];
      for (const { note } of batch) {
        const { note_id, fresh } = await t.brain.insert(note);
        numbers.push(note_id);
        if (!fresh) continue;
        const { query_id, task_id, role, branch, kind } = note;
        const agent_id = note.author === MAIN_AGENT ? null : note.author;
        await t.events.append({
          kind: 'notice',
          state: 'brain_note',
          detail: oneLine(note.note),
          ...{ query_id, task_id, agent_id, role },
          data: { note_id, branch, kind },
        });
      }
      return numbers;
    });

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      const numbers = await put(batch);
      for (const [i, { resolve }] of batch.entries()) resolve(numbers[i] ?? 0);
    } catch (error) {
      // One bad note takes no other along; storage that refuses refuses all.
      const alone = batch.length === 1 || error instanceof AppError;
      if (alone) for (const { reject } of batch) reject(error);
      else for (const one of batch) await write([one]);
    }
  }

  /** Resolves when everything recorded before is stored or refused. */
  function flush(): Promise<unknown> {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) underWay = Promise.all([underWay, write(batch)]);
    return underWay;
  }

  function add(note: NewNote): Promise<number> {
    return new Promise((resolve, reject) => {
      waiting.push({ note, resolve, reject });
      if (waiting.length >= FULL || wait_ms === 0) void flush();
      else timer ??= setTimeout(flush, wait_ms);
    });
  }

  /** The main agent's child above a task: its branch of the tree. */
  async function branchOf(task_id: string | null): Promise<string> {
    let at = task_id;
    while (at !== null) {
      const parent = (await reads.tasks.get(at))?.parent_task_id ?? null;
      if (parent === null) return at;
      at = parent;
    }
    return MAIN_BRANCH;
  }

  async function every(query_id: string, branch?: string): Promise<BrainNote[]> {
    await flush();
    const all: BrainNote[] = [];
    for (;;) {
      const ask = { query_id, after: all.at(-1)?.note_id ?? 0, limit: PAGE };
      const page = await reads.brain.ofQuery(branch === undefined ? ask : { ...ask, branch });
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  }

  const authorOf = ({ agent_id }: Pick<Speaker, 'agent_id'>): string => agent_id ?? MAIN_AGENT;

  return {
    add,
    flush,
    branchOf,
    every,
    /** Durable when it resolves; with the number of notes of others. */
    async record(
      by: Speaker,
      call_id: string,
      text: string,
    ): Promise<{ note_id: number; others: number }> {
      const note = visibleText(text);
      const size = [...note].length;
      if (note === '') throw new AppError('bad_request', 'the note is empty');
      if (size > NOTE_LIMIT)
        throw new AppError(
          'bad_request',
          `the note has ${size} characters; at most ${NOTE_LIMIT} are allowed: write the rest into a file and name it`,
        );
      const { query_id, run_id, task_id, role } = by;
      const branch = await branchOf(task_id);
      const author = authorOf(by);
      const kind = 'note' as const;
      const note_id = await add({
        ...{ query_id, kind, author, role, task_id, branch, note, run_id, call_id },
      });
      return { note_id, others: await reads.brain.others(query_id, run_id) };
    },

    /** Notes that hold a word of `query`, of one branch; without either: all. The newest, oldest first. */
    async query(
      query_id: string,
      ask: { query: string | null; branch: string | null },
    ): Promise<{ notes: BrainNote[]; total: number; branches: string[] }> {
      await flush();
      const counts = await reads.brain.counts(query_id);
      const branches = [...new Set(counts.map((c) => c.branch))];
      const wanted = ask.branch?.trim() || null;
      if (wanted !== null && wanted !== MAIN_BRANCH && !branches.includes(wanted))
        throw new AppError(
          'not_found',
          `no notes of a branch "${wanted.slice(0, 100)}"; branches with notes: ${branches.join(', ') || 'none'}`,
        );
      const all = await every(query_id, wanted ?? undefined);
      const { terms } = indexed(ask.query ?? '');
      const holds = ({ note }: BrainNote): boolean =>
        [...indexed(note).terms].some((term) => terms.has(term));
      const notes = terms.size === 0 ? all : all.filter(holds);
      const total = counts.reduce((sum, c) => sum + c.all, 0);
      return { notes: notes.slice(-MOST_SHOWN), total, branches };
    },

    /** Oldest first, for readers from outside. */
    async page(
      query_id: string,
      ask: { limit: number; cursor: string | null; branch?: string },
    ): Promise<Page<BrainNote>> {
      await flush();
      const { limit, cursor, ...filter } = ask;
      const after = cursor === null ? 0 : Number(/^after-(\d{1,15})$/.exec(cursor)?.[1]);
      if (Number.isNaN(after))
        throw new AppError('bad_request', 'cursor is not one of ours: pass next_cursor unchanged');
      const rows = await reads.brain.ofQuery({ query_id, ...filter, after, limit: limit + 1 });
      const data = rows.slice(0, limit);
      const more = rows.length > limit;
      return { data, next_cursor: more ? `after-${data.at(-1)?.note_id}` : null };
    },
  };
}

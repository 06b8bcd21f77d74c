// Retention: what ended long ago leaves the state folder, rows first, then files. Never anything at work, never a
// folder that somebody named. In small units with pauses: the server goes on serving meanwhile.
import { AppError } from '../domain/errors.ts';
import type { Clock, Log, Store, Tx } from '../domain/ports.ts';
import { isOpenQuery } from '../domain/query.ts';
import { addRows, type GcAsk, type GcReport, noRows } from '../domain/retention.ts';
import type { RetiredFiles } from './retired-files.ts';

export type RetentionDeps = {
  store: Store;
  files: RetiredFiles;
  clock: Clock;
  log: Log;
  /** Milliseconds after which one call answers with what it has done so far. */
  budget_ms?: number;
};

const PAGE = 200;
/** Most queries of one unit of work; rows bound it before that. */
const BATCH = 50;
const LOOSE_BATCH = 1_000;
/** Under the idle limits of connections on the way; the caller asks again for the rest. */
const BUDGET_MS = 20_000;
/** A folder without a row may be one whose row is being written: it gets this long. */
const ORPHAN_MS = 3_600_000;

type Survey = {
  /** Ended and untouched, as far as one can see from here; oldest first. */
  ids: string[];
  folderOf: Map<string, string>;
  /** How many queries lie in each folder of the product's own. */
  users: Map<string, number>;
};

/** Carries a result out of a unit that must leave nothing behind. */
class OnlyLooked extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super('a look without a change');
    this.value = value;
  }
}

export function createRetention({ store, files, clock, log, budget_ms }: RetentionDeps) {
  const { reads } = store;
  let busy = false;

  /** The real unit either way, so that a look tells exactly what would happen. */
  async function unit<T>(dry_run: boolean, work: (t: Tx) => Promise<T>): Promise<T> {
    if (!dry_run) return store.tx(work);
    try {
      return await store.soon(async (t) => {
        throw new OnlyLooked(await work(t));
      });
    } catch (error) {
      if (error instanceof OnlyLooked) return error.value as T;
      throw error;
    }
  }

  async function survey(base: string | null, before: string): Promise<Survey> {
    const found: Survey = { ids: [], folderOf: new Map(), users: new Map() };
    let cursor: string | null = null;
    do {
      const page = await reads.queries.list({ limit: PAGE, cursor });
      for (const { query_id, status, updated_at, workdir } of page.data) {
        const folder = base === null ? null : files.ownFolder(base, workdir);
        if (folder !== null) found.users.set(folder, (found.users.get(folder) ?? 0) + 1);
        if (isOpenQuery(status) || updated_at >= before) continue;
        found.ids.push(query_id);
        if (folder !== null) found.folderOf.set(query_id, folder);
      }
      cursor = page.next_cursor;
      await nextTurn();
    } while (cursor !== null);
    found.ids.reverse();
    return found;
  }

  async function gc({ older_than_s, dry_run }: GcAsk): Promise<GcReport> {
    const until = clock.mono() + (budget_ms ?? BUDGET_MS);
    const cutoff = new Date(clock.now().getTime() - older_than_s * 1000);
    const before = cutoff.toISOString();
    // Before any row: on a full disk this is the room that the rows need to go.
    const logs = await files.removeOldLogs(cutoff, dry_run);
    const rows = noRows();
    const workdirs = { removed: 0, kept: 0, bytes: 0 };
    const base = await files.sessions();
    const { ids, folderOf, users } = await survey(base, before);

    const removeFolder = async (name: string): Promise<void> => {
      const bytes = base === null ? null : await files.removeFolder(base, name, dry_run);
      if (bytes === null) return;
      workdirs.removed += 1;
      workdirs.bytes += bytes;
    };
    const release = async (query_id: string): Promise<void> => {
      const folder = folderOf.get(query_id);
      if (folder === undefined) {
        workdirs.kept += 1;
        return;
      }
      const left = (users.get(folder) ?? 1) - 1;
      users.set(folder, left);
      if (left === 0) await removeFolder(folder);
    };

    let at = 0;
    while (at < ids.length && clock.mono() < until) {
      const some = ids.slice(at, at + BATCH);
      const done = await unit(dry_run, (t) => t.retention.removeQueries(some, before));
      at += done.looked;
      addRows(rows, done.rows);
      for (const query_id of done.query_ids) await release(query_id);
      await nextTurn();
    }
    let loose = 0;
    do {
      if (clock.mono() >= until) break;
      loose = await unit(dry_run, (t) => t.retention.removeLooseEvents(before, LOOSE_BATCH));
      rows.events += loose;
      await nextTurn();
    } while (loose === LOOSE_BATCH && !dry_run);
    // What a crash between rows and files has left; also folders whose removal failed.
    const orphansBefore = new Date(Math.min(cutoff.getTime(), clock.now().getTime() - ORPHAN_MS));
    if (base !== null)
      for (const name of await files.oldFolders(base, orphansBefore))
        if (!users.has(name)) await removeFolder(name);

    const more = at < ids.length || loose === LOOSE_BATCH;
    if (!dry_run && rows.queries + rows.events > 0) await note(before, rows.queries, rows.events);
    const first_kept_seq = (await reads.events.removed()) + 1;
    const report = { dry_run, before, more, rows, workdirs, logs, first_kept_seq };
    log.info(report, dry_run ? 'looked for what may go' : 'removed what ended long ago');
    return report;
  }

  /** Readers who show what there is learn that some of it has gone. */
  const note = (before: string, queries: number, events: number): Promise<unknown> =>
    store.tx(async (t) =>
      t.events.append({
        kind: 'policy',
        state: 'retention',
        detail: `removed ${queries} queries that ended before ${before}`,
        data: { before, queries, events, removed_seq: await t.events.removed() },
      }),
    );

  return {
    /** AppError conflict while another one is at work. */
    async gc(ask: GcAsk): Promise<GcReport> {
      if (busy) throw new AppError('conflict', 'a removal is under way; wait for its end');
      busy = true;
      try {
        return await gc(ask);
      } finally {
        busy = false;
      }
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

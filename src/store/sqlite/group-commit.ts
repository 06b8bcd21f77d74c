// Units of work, one after the other, as savepoints of one open transaction; many of them share one fsync.
// A unit never blocks another: one that throws, or waits for anything outside its Tx, is rolled back alone.
// What went on without waiting for the disk is owed to it: after a commit that failed it is run again, before all else.
import { AppError } from '../../domain/errors.ts';
import type { TroupeEvent } from '../../domain/event.ts';
import type { Clock, Log, Tx } from '../../domain/ports.ts';
import type { Connection } from './connection.ts';
import { isBusy, isFull, toStorageError } from './storage-error.ts';

type Unit = {
  work(tx: Tx): Promise<unknown>;
  /** Somebody waits until it is on disk. */
  durable: boolean;
  /** It has run and whoever asked goes on by it: it cannot be refused any more. */
  owed: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

// At the latest this long after its first unit a transaction is committed: what a crash may take of `soon`.
const GROUP_MS = 5;
// Another program may hold a short lock (a backup, a shell). Each try blocks the loop for the driver's
// timeout of 100 ms at most, and the loop gets a pause of the same length in between: 2 s in all.
const BUSY_TRIES = 10;
const BUSY_PAUSE_MS = 100;
// A disk gets room when somebody makes it: asking twice a second costs nothing.
const OWED_PAUSE_MS = 500;

export function createGroupCommit(deps: {
  conn: Connection;
  file: string;
  clock: Clock;
  log: Log;
  /** Events of the open transaction, in order. */
  outbox: TroupeEvent[];
  openUnit(): { tx: Tx; end(): void };
  committed(events: TroupeEvent[]): void;
}) {
  const { conn, file, clock, log, outbox } = deps;
  const queue: Unit[] = [];
  let done: { unit: Unit; value: unknown }[] = [];
  // At most what one transaction held: while something is owed, nothing new runs unless this does.
  let owed: Unit[] = [];
  let failure: unknown = null;
  let open = false;
  let openedAt = 0;
  let closing = false;
  let lane: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const age = () => clock.mono() - openedAt;
  const awaited = () => closing || done.some(({ unit }) => unit.durable);

  function start(): void {
    clearTimeout(timer);
    lane ??= Promise.resolve()
      .then(drive)
      .finally(() => {
        lane = null;
        if (queue.length > 0) start();
      });
  }

  /** Until nothing is left to do now. Yields to the event loop at least once per transaction. */
  async function drive(): Promise<void> {
    for (;;) {
      await drain();
      if (!open) break;
      if (!awaited() && age() < GROUP_MS) {
        timer = setTimeout(start, GROUP_MS - age());
        return;
      }
      // Whatever else arrives in this turn of the loop shares the fsync.
      await turn();
      await drain();
      await commit();
      if (owed.length > 0) break;
    }
    if (owed.length > 0 && !closing) timer = setTimeout(start, OWED_PAUSE_MS);
  }

  async function drain(): Promise<void> {
    if (owed.length > 0 && !open) await begin();
    for (let unit = queue.shift(); unit; unit = queue.shift()) {
      if (open && age() >= GROUP_MS) {
        await commit();
        await turn();
      }
      if (open || (await begin())) await run(unit);
      else for (const refused of [unit, ...queue.splice(0)]) refused.reject(failure);
    }
  }

  /** Opens a transaction and runs in it, first, what is owed. False: it could not, and `failure` says why. */
  async function begin(): Promise<boolean> {
    try {
      // Left over only if a rollback failed.
      if (conn.inTransaction()) conn.run('ROLLBACK');
      await patiently(() => conn.run('BEGIN IMMEDIATE'));
      open = true;
      openedAt = clock.mono();
    } catch (error) {
      failure = toStorageError(error, file);
    }
    const again = owed;
    owed = [];
    for (const unit of again)
      if (open) await run(unit);
      else owed.push(unit);
    return open;
  }

  async function run(unit: Unit): Promise<void> {
    const mark = outbox.length;
    const { tx, end } = deps.openUnit();
    try {
      conn.run('SAVEPOINT unit');
      const value = await withinTurn(unit.work(tx)).finally(end);
      conn.run('RELEASE unit');
      done.push({ unit, value });
      if (unit.durable) return;
      unit.owed = true;
      unit.resolve(value);
    } catch (error) {
      end();
      undo(mark, error);
      unit.reject(toStorageError(error, file));
      if (!unit.owed) return;
      if (open)
        log.error({ err: error }, 'a unit that was lost with a commit could not be repeated');
      else owed.push(unit);
    }
  }

  function undo(mark: number, error: unknown): void {
    // When the disk gives out SQLite may have rolled back everything by itself.
    if (isFull(error) || !conn.inTransaction()) {
      abandon(error);
      return;
    }
    try {
      conn.run('ROLLBACK TO unit');
      conn.run('RELEASE unit');
      outbox.length = mark;
    } catch (failure) {
      abandon(failure);
    }
  }

  async function commit(): Promise<void> {
    if (!open) return;
    try {
      await patiently(() => conn.run('COMMIT'));
    } catch (error) {
      return abandon(error);
    }
    open = false;
    const settled = done;
    done = [];
    deps.committed(outbox.splice(0));
    for (const { unit, value } of settled) if (unit.durable) unit.resolve(value);
  }

  /** The open transaction is lost: everyone in it who still waits is told so. */
  function abandon(error: unknown): void {
    const lost = done;
    done = [];
    outbox.length = 0;
    open = false;
    try {
      if (conn.inTransaction()) conn.run('ROLLBACK');
    } catch (failure) {
      log.error({ err: failure }, 'rollback failed; tried again before the next transaction');
    }
    log.error({ err: error, units: lost.length }, 'a transaction could not be stored');
    failure = toStorageError(error, file);
    for (const { unit } of lost)
      if (unit.durable) unit.reject(failure);
      else owed.push(unit);
  }

  return {
    add<T>(work: (tx: Tx) => Promise<T>, durable: boolean): Promise<T> {
      if (closing) return Promise.reject(new AppError('shutting_down', 'the store is closed'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, durable, owed: false, resolve: resolve as Unit['resolve'], reject });
        start();
      });
    },
    /** Runs and commits what was added before; refuses what comes later. */
    async close(): Promise<void> {
      closing = true;
      start();
      while (lane) await lane;
      if (owed.length > 0) log.error({ units: owed.length }, 'the last units could not be stored');
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function patiently(attempt: () => unknown): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || tries === BUSY_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }
}

/** The functions of a Tx settle without the event loop; whatever needs the loop is not one of them. */
function withinTurn<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setImmediate(() =>
      reject(
        new AppError(
          'internal',
          'a unit of work waited for something outside its Tx (network, timer, another unit) and was rolled back',
        ),
      ),
    );
    work.then(resolve, reject).finally(() => clearImmediate(late));
  });
}

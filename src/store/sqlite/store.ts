// The store on SQLite: the nouns put together behind the port. Takes an open database and closes it.
import type { TroupeEvent } from '../../domain/event.ts';
import { type Clock, type Log, type Reads, type Store, systemClock } from '../../domain/ports.ts';
import { createBrainReads, createBrainStore } from './brain-store.ts';
import { createCheckpointReads, createCheckpointStore } from './checkpoint-store.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { createEventReads, createEventStore } from './event-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { createLoopReads, createLoopStore } from './loop-store.ts';
import { createMemoryReads, createMemoryStore } from './memory-store.ts';
import { createPromptReads, createPromptStore } from './prompt-store.ts';
import { createQueryReads, createQueryStore } from './query-store.ts';
import { createRememberReads, createRememberStore } from './remember-store.ts';
import { createRetentionStore } from './retention-store.ts';
import { createReviewReads, createReviewStore } from './review-store.ts';
import { createRunReads, createRunStore } from './run-store.ts';
import { createSpendReads, createSpendStore } from './spend-store.ts';
import { createSubagentReads, createSubagentStore } from './subagent-store.ts';
import { createTaskReads, createTaskStore } from './task-store.ts';
import { type Nouns, openUnit } from './unit.ts';

export function createStore(deps: { database: Database; log: Log; clock?: Clock }): Store {
  const { database, log, clock = systemClock } = deps;
  const outbox: TroupeEvent[] = [];
  let listener: ((events: TroupeEvent[]) => void) | undefined;
  // The time of the unit that runs; units run one at a time.
  let at = '';
  const nouns = createNouns(database.writer, () => at, outbox);

  const group = createGroupCommit({
    conn: database.writer,
    file: database.file,
    clock,
    log,
    outbox,
    openUnit() {
      at = clock.now().toISOString();
      return openUnit(nouns, at);
    },
    committed(events) {
      try {
        if (events.length > 0) listener?.(events);
      } catch (error) {
        // What is committed stays committed, whatever a reader makes of it.
        log.error({ err: error }, 'the listener to commits failed');
      }
    },
  });

  return {
    reads: createReads(database.reader),
    tx: (work) => group.add(work, true),
    soon: (work) => group.add(work, false),
    onCommit(given) {
      if (listener) throw new Error('the store has a listener already: the event log');
      listener = given;
    },
    async close() {
      await group.close();
      database.close();
    },
  };
}

const createReads = (conn: Connection): Reads => ({
  queries: createQueryReads(conn),
  tasks: createTaskReads(conn),
  subagents: createSubagentReads(conn),
  events: createEventReads(conn),
  checkpoints: createCheckpointReads(conn),
  runs: createRunReads(conn),
  loops: createLoopReads(conn),
  prompts: createPromptReads(conn),
  memory: createMemoryReads(conn),
  brain: createBrainReads(conn),
  spend: createSpendReads(conn),
  remember: createRememberReads(conn),
  reviews: createReviewReads(conn),
});

const createNouns = (conn: Connection, now: () => string, outbox: TroupeEvent[]): Nouns => ({
  queries: createQueryStore(conn, now),
  tasks: createTaskStore(conn, now),
  subagents: createSubagentStore(conn, now),
  runs: createRunStore(conn),
  events: createEventStore(conn, now, outbox),
  checkpoints: createCheckpointStore(conn, now),
  loops: createLoopStore(conn),
  prompts: createPromptStore(conn, now),
  memory: createMemoryStore(conn, now),
  brain: createBrainStore(conn, now),
  spend: createSpendStore(conn, now),
  remember: createRememberStore(conn),
  reviews: createReviewStore(conn),
  idempotency: createIdempotencyStore(conn),
  retention: createRetentionStore(conn),
});

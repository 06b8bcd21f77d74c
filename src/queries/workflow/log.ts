// What a workflow keeps in the event log: how the query found the workdir, and what the runtime has decided since.
// No agent writes events, so nothing of it can be forged.
import type { TroupeEvent } from '../../domain/event.ts';
import type { EventReads, Store } from '../../domain/ports.ts';

/** Numbers of ticked boxes, by path. */
export type Ticked = Record<string, string[]>;

export type Note = {
  state: string;
  detail: string;
  data: Record<string, unknown>;
  task_id?: string | null;
};

/** Durable when it resolves. */
export const noteWorkflow = (store: Store, query_id: string, note: Note): Promise<number> =>
  store.tx((t) => t.events.append({ kind: 'workflow', query_id, ...note }));

const PAGE = 500;

/** Everything that the workflow of a query has kept, oldest first. */
export async function notesOf(
  { events }: { events: EventReads },
  query_id: string,
): Promise<TroupeEvent[]> {
  const all: TroupeEvent[] = [];
  for (;;) {
    const page = await events.after(all.at(-1)?.seq ?? 0, { query_id, kinds: ['workflow'] }, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** How the query found the workdir when its first turn began; null: it has not begun. */
export async function openedOf(
  reads: { events: EventReads },
  query_id: string,
): Promise<{ ticked: Ticked } | null> {
  const opened = (await notesOf(reads, query_id)).find((e) => e.state === 'opened');
  return opened ? { ticked: (opened.data.ticked ?? {}) as Ticked } : null;
}

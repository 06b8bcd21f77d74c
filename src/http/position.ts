// Where a reader of events begins: `after`, Last-Event-ID, or the cursor of a page. Anything that was never a
// sequence is refused, and so is a place behind which something has been removed: no gap is silent.
import Type from 'typebox';
import { AppError } from '../domain/errors.ts';
import { type EventFilter, isOfOne } from '../domain/event.ts';
import type { EventReads } from '../domain/ports.ts';

export const afterQuery = {
  after: Type.Optional(
    Type.String({
      maxLength: 20,
      description:
        'Only events with a higher seq. `latest`: only what happens from now on. Default 0: from the oldest that is kept',
    }),
  ),
};

const SEQ = /^(0|[1-9]\d{0,15})$/;
const CURSOR = /^(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;

/** `given`: null or empty means from the oldest that is kept. */
export async function positionOf(
  given: string | null,
  events: EventReads,
  filter: EventFilter,
  knowsOfRemoval = false,
): Promise<number> {
  if (given === null || given === '') return 0;
  const last = await events.last();
  if (given === 'latest') return last;
  const seq = SEQ.test(given) ? Number(given) : Number.NaN;
  if (!(seq <= last)) throw notAPlace(given, Number.isNaN(seq), last);
  const removed = await events.removed();
  if (seq > 0 && seq < removed && !isOfOne(filter) && !knowsOfRemoval)
    throw gone(seq, removed, last);
  return seq;
}

/** Of a page: it knows what had been removed when the listing began, so that the listing may go on through it. */
export async function cursorOf(seq: number, events: EventReads): Promise<string> {
  const removed = await events.removed();
  return removed === 0 ? String(seq) : `${seq}.${removed}`;
}

/** The place of a cursor: as above, but a listing that began after the removal is allowed where it is. */
export async function placeOfCursor(
  cursor: string,
  events: EventReads,
  filter: EventFilter,
): Promise<number> {
  const [, seq = cursor, known] = CURSOR.exec(cursor) ?? [];
  const same = known !== undefined && Number(known) === (await events.removed());
  return positionOf(seq, events, filter, same);
}

function notAPlace(given: string, noNumber: boolean, last: number): AppError {
  const found = noNumber ? 'is not the number of an event' : 'has not happened yet';
  return new AppError(
    'bad_request',
    `event "${given.slice(0, 40)}" ${found}; allowed: 0 to ${last}, or "latest"`,
    { data: { last_seq: last }, errors: [{ path: 'after', message: `0 to ${last}, or latest` }] },
  );
}

function gone(seq: number, removed: number, last: number): AppError {
  const first = removed + 1;
  return new AppError(
    'gone',
    `events after ${seq} have been removed for their age: the log is whole from ${first} on. Read the state anew and go on after ${removed}, or start at 0 for what is left`,
    { data: { first_kept_seq: first, last_seq: last } },
  );
}

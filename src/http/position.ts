// Where a stream begins: `after`, `cursor` or Last-Event-ID. Anything that was never a sequence is refused.
import Type from 'typebox';
import { AppError } from '../domain/errors.ts';
import type { EventReads } from '../domain/ports.ts';

export const afterQuery = {
  after: Type.Optional(
    Type.String({
      maxLength: 20,
      description:
        'Only events with a higher seq. `latest`: only what happens from now on. Default 0: from the beginning',
    }),
  ),
};

const SEQ = /^(0|[1-9]\d{0,15})$/;
/** `given`: null or empty means from the beginning. */
export async function positionOf(given: string | null, events: EventReads): Promise<number> {
  if (given === null || given === '') return 0;
  const last = await events.last();
  if (given === 'latest') return last;
  const seq = SEQ.test(given) ? Number(given) : Number.NaN;
  if (seq <= last) return seq;
  const found = Number.isNaN(seq) ? 'is not the number of an event' : 'has not happened yet';
  throw new AppError(
    'bad_request',
    `event "${given.slice(0, 40)}" ${found}; allowed: 0 to ${last}, or "latest"`,
    { data: { last_seq: last }, errors: [{ path: 'after', message: `0 to ${last}, or latest` }] },
  );
}

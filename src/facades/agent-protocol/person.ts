// What an agent asks a person, as an interrupt of its thread, and the answer that a run brings. Pure but for its reads.
import { AppError } from '../../domain/errors.ts';
import type { Reads, Tx } from '../../domain/ports.ts';
import type { ProtocolThread } from '../../domain/protocol.ts';
import type { Review } from '../../domain/review.ts';
import { MAIN } from './assistants.ts';
import { isJson, type Json } from './messages.ts';

export type Interrupt = { id: string; value: Json };

/** Everything that somebody waits for on the thread, oldest first. */
export async function pendingOf(
  rows: Pick<Reads | Tx, 'tasks' | 'queries' | 'reviews'>,
  { thread_id, assistant }: Pick<ProtocolThread, 'thread_id' | 'assistant'>,
): Promise<Review[]> {
  if (assistant === null) return [];
  const query_id = assistant === MAIN ? thread_id : (await rows.tasks.get(thread_id))?.query_id;
  if (query_id === undefined) return [];
  const all = (await rows.reviews.pending(query_id)).filter(({ blocking }) => blocking);
  if (all.length === 0 || assistant === MAIN) return all;
  // A query that holds the thread alone waits as one; in a larger tree only what the task itself asks is its own.
  const query = await rows.queries.get(query_id);
  return query?.kind === 'direct' ? all : all.filter(({ task_id }) => task_id === thread_id);
}

export const interruptsOf = async (
  rows: Pick<Reads | Tx, 'tasks' | 'queries' | 'reviews'>,
  thread: Pick<ProtocolThread, 'thread_id' | 'assistant'>,
): Promise<Interrupt[]> =>
  (await pendingOf(rows, thread)).map(({ review_id, kind, request, role, path, context }) => ({
    id: review_id,
    value: { kind, ...request, role, path, context },
  }));

const WORDS: Record<string, string> = {
  approve: 'once',
  accept: 'once',
  reject: 'deny',
  ignore: 'deny',
};

/** `"text"`, `2`, `true`, `{answer}`, `{decision}` or the form of LangChain's own inbox, as this inbox takes it. */
export function decisionOf({ kind }: Review, given: unknown): Json {
  const first = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (isJson(first) && Array.isArray(first.decisions))
    return decisionOf({ kind } as Review, first.decisions);
  if (kind === 'question') {
    if (typeof first === 'number') return { option: first };
    if (typeof first === 'string') return { answer: first };
    if (isJson(first) && ('answer' in first || 'option' in first)) return first;
    return { answer: JSON.stringify(first) };
  }
  if (kind === 'approval') {
    if (typeof first === 'boolean') return { decision: first ? 'once' : 'deny' };
    if (typeof first === 'string') return { decision: WORDS[first] ?? first };
    if (isJson(first) && typeof first.type === 'string')
      return {
        decision: WORDS[first.type] ?? first.type,
        ...(typeof first.message === 'string' ? { reason: first.message } : {}),
      };
  }
  if (isJson(first)) return first;
  throw new AppError('bad_request', `an answer to a review of kind ${kind} is an object`);
}

/** The answer to each open question. One value answers the only one; several are answered by their ids. */
export function answersTo(
  open: readonly Review[],
  resume: unknown,
): { id: string; decision: Json }[] {
  const ids = open.map(({ review_id }) => review_id);
  const byId = isJson(resume) && Object.keys(resume).some((key) => ids.includes(key));
  if (!byId && open.length > 1)
    throw new AppError(
      'conflict',
      `${open.length} questions are open: answer by id, {"command": {"resume": {"<id>": answer}}}; ids: ${ids.join(', ')}`,
    );
  if (open.length === 0)
    throw new AppError(
      'conflict',
      'nothing on this thread waits for an answer; give input instead',
    );
  return open.flatMap((review) => {
    const answer = byId ? (resume as Json)[review.review_id] : resume;
    return answer === undefined
      ? []
      : [{ id: review.review_id, decision: decisionOf(review, answer) }];
  });
}

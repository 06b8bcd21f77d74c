// A subagent asks a person: while it waits it holds neither a slot nor a place, and it has both back before it is told.
import type { Speaker } from '../domain/brain.ts';
import type { AgentReviews, AskAnswer, AskCall } from '../domain/review.ts';
import type { Dispatcher } from './dispatcher.ts';

/** One HTTP request never stays silent for longer: the caller asks again. */
const WAIT_LIMIT_MS = 25_000;

export function createAskPerson({
  reviews,
  dispatcher,
}: {
  reviews: AgentReviews;
  dispatcher: Dispatcher;
}) {
  return async function askPerson(
    by: Speaker & { agent_id: string },
    call: AskCall,
    signal: AbortSignal,
  ): Promise<AskAnswer> {
    // Several requests wait for one answer: one name for all of them.
    const who = `ask ${call.call_id}`;
    let answer = await reviews.ask(by, { ...call, wait_ms: 0 }, signal);
    if (answer.ok && answer.state === 'pending') {
      dispatcher.lend(by.agent_id, 'human', who);
      const wait_ms = Math.min(call.wait_ms, WAIT_LIMIT_MS);
      answer = await reviews.ask(by, { ...call, wait_ms }, signal);
      // Nobody has answered yet: the slot stays lent, and the caller comes back with the same question.
      if (answer.ok && answer.state === 'pending') return answer;
    }
    await dispatcher.retake(by.agent_id, who);
    return answer;
  };
}

// workflow: a main agent that leads one is reminded of what is left before it may end. It is reminded a few times and
// then let go: the runtime says in the answer what is missing.
import type { Message } from '../../domain/message.ts';
import type { Middleware } from '../middleware.ts';

/** What is left, in a sentence; null: nothing, or it is the user's turn. */
export type LeftOf = () => Promise<string | null>;

const MOST_REMINDERS = 2;

/** Questions to the user in one thread; more mean that the work has not been understood. */
const MOST_QUESTIONS = 15;

const asked = (messages: readonly Message[]): number =>
  messages.reduce((sum, m) => {
    const calls = m.role === 'assistant' ? (m.tool_calls ?? []) : [];
    return sum + calls.filter((call) => call.name === 'ask_user').length;
  }, 0);

export function workflow(left: LeftOf): Middleware {
  let reminded = 0;
  return {
    name: 'workflow',
    async wrapTool(ctx, call, next) {
      // The call itself stands in the thread already.
      if (call.name !== 'ask_user' || asked(ctx.messages) <= MOST_QUESTIONS) return next(call);
      const why = `${MOST_QUESTIONS} questions have been asked; go on with what is known, name your assumptions`;
      return { ok: false, content: why, summary: why };
    },
    async beforeFinal() {
      if (reminded >= MOST_REMINDERS) return 'final';
      const text = await left();
      if (text === null) return 'final';
      reminded += 1;
      return [
        {
          role: 'user',
          kind: 'notice',
          content: `The workflow is not at its end: ${text}. Go on with it. When it cannot go on, or the user must say something first, give your final answer and say so.`,
        },
      ];
    },
  };
}

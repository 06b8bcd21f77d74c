// workflow: a main agent that leads one is reminded of what is left before it may end. It is reminded a few times and
// then let go: the runtime says in the answer what is missing.
import type { Middleware } from '../middleware.ts';

/** What is left, in a sentence; null: nothing, or it is the user's turn. */
export type LeftOf = () => Promise<string | null>;

const MOST_REMINDERS = 2;

export function workflow(left: LeftOf): Middleware {
  let reminded = 0;
  return {
    name: 'workflow',
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

// structured: an answer that must be JSON of a given shape is checked by main before the run ends. What does not fit
// is named to the agent once; then the answer stands as it is, and main says that it does not fit.
import type { Message } from '../../domain/message.ts';
import type { Middleware } from '../middleware.ts';
import { finalText, toldSince } from './told-once.ts';

const AGAIN = 'Your answer does not fit its output schema:';

const correction = (problems: readonly string[]): Message => ({
  role: 'user',
  kind: 'notice',
  content: `${AGAIN}\n${problems.map((p) => `- ${p}`).join('\n')}\nAnswer again now, with the whole JSON alone.`,
});

/** `history`: the thread that the run goes on from. */
export function structured(history: readonly Message[]): Middleware {
  let told = toldSince(history, AGAIN);
  return {
    name: 'structured',
    async beforeFinal(ctx) {
      const text = finalText(ctx.messages);
      if (told || text === null) return 'final';
      const call = { op: 'check_result', text } as const;
      const answer = await ctx.host.tasks(call, ctx.signal);
      if (!answer.ok || answer.op !== 'check_result' || answer.problems.length === 0)
        return 'final';
      told = true;
      return [correction(answer.problems)];
    },
  };
}

// The wait of a tool for a person: one request after the other, outside of the run's time limit, until it is decided.
import type { AskAnswer, AskCall } from '../domain/review.ts';
import type { ToolContext } from '../domain/tool.ts';

/** One request waits at most this long: shorter than the deadline of a call to main. */
const ONE_WAIT_MS = 20_000;

type Ask = AskCall extends infer C
  ? C extends AskCall
    ? Omit<C, 'call_id' | 'wait_ms'>
    : never
  : never;
type Decided = Exclude<AskAnswer, { state: 'pending' }>;

/** `left`: the run was stopped meanwhile; main still has what was asked. */
export const askPerson = (ctx: ToolContext, ask: Ask): Promise<Decided | 'left'> =>
  ctx.untimed(async () => {
    const call = { ...ask, call_id: ctx.call_id, wait_ms: ONE_WAIT_MS } as AskCall;
    try {
      for (;;) {
        const answer = await ctx.host.ask(call, ctx.signal);
        if (ctx.signal.aborted) return 'left';
        if (!answer.ok || answer.state !== 'pending') return answer;
        ctx.progress('waiting for a person');
      }
    } catch (error) {
      if (ctx.signal.aborted) return 'left';
      throw error;
    }
  });

// check_phase: a TDD agent has a phase checked. The runtime runs the tests and keeps the receipt; the agent only asks.
// Never waits in one silent request: it asks again and again until the tests have ended.
import type { Tool } from '../domain/tool.ts';
import { failed, succeeded } from './result.ts';

/** One request waits at most this long: shorter than the deadline of a call to main. */
const ONE_WAIT_MS = 20_000;

export const checkPhase: Tool = {
  name: 'check_phase',
  description:
    'Has a phase of test-driven work checked: the runtime runs the tests and gives the verdict. red: the new tests must fail. green: the same tests must pass. refactor: they must still pass.',
  parameters: {
    type: 'object',
    properties: { phase: { type: 'string', enum: ['red', 'green', 'refactor'] } },
    required: ['phase'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const phase = args.phase as 'red' | 'green' | 'refactor';
    for (;;) {
      const call = { op: 'phase', call_id: ctx.call_id, phase, wait_ms: ONE_WAIT_MS } as const;
      const answer = await ctx.host.tasks(call, ctx.signal);
      if (!answer.ok) return failed(`${answer.code}: ${answer.message}`);
      if (answer.op !== 'phase') return failed('the answer of the runtime had another shape');
      if (answer.checked) {
        const { passed, text } = answer.checked;
        return passed ? succeeded(text, `${phase} passed`) : failed(text);
      }
      if (ctx.signal.aborted) return failed('stopped, because the run was stopped');
      ctx.progress(`the tests of the phase ${phase} run`);
    }
  },
};

// report_blocked: the agent says that it cannot go on, and why. Ends the run; the runtime decides what comes next.
import type { Tool } from '../domain/tool.ts';

export const reportBlocked: Tool = {
  name: 'report_blocked',
  description:
    'Says that you cannot go on with the task and why (a missing input, a missing permission, a contradiction). Ends your work: another role may take over. Do not use it for a question that you can answer by looking.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', minLength: 3, maxLength: 2_000 } },
    required: ['reason'],
    additionalProperties: false,
  },
  async run(args) {
    const reason = String(args.reason).trim();
    return {
      ok: true,
      content: 'noted',
      summary: `blocked: ${reason.slice(0, 150)}`,
      blocked: reason,
    };
  },
};

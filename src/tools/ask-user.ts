// ask_user: a question to the person behind the request. The agent waits for the answer, for as long as the inbox keeps
// the question; what it is told when nobody answers comes from there too.
import { QUESTION_LIMITS } from '../domain/review.ts';
import { oneLine } from '../domain/text.ts';
import type { Tool } from '../domain/tool.ts';
import { askPerson } from './person.ts';
import { failed, succeeded } from './result.ts';

const { question, options, option } = QUESTION_LIMITS;

export const askUser: Tool = {
  name: 'ask_user',
  description:
    'Asks the person behind the request, and waits for the answer. Only for a decision that is theirs and that changes what you make; not for what you can find out or sensibly assume. One question, understandable on its own; options when there are few answers that make sense.',
  parameters: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: question },
      options: {
        type: 'array',
        maxItems: options,
        items: { type: 'string', minLength: 1, maxLength: option },
        description: 'Answers to choose from; another answer stays possible.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const asked = String(args.question).trim();
    if (asked === '') return failed('the question is empty');
    const answer = await askPerson(ctx, {
      kind: 'question',
      question: asked,
      options: (args.options as string[] | undefined) ?? [],
    });
    if (answer === 'left') return { ...failed('stopped before an answer'), unanswered: true };
    if (!answer.ok) return failed(`${answer.code}: ${answer.message}`);
    return succeeded(answer.text, `asked: ${oneLine(asked, 120)}`);
  },
};

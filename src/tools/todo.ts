// todo: the agent's own list of what is to be done. It lives in the conversation alone: each call replaces it.
import type { Tool } from '../domain/tool.ts';
import { failed, succeeded } from './result.ts';

const SIGNS = { pending: '[ ]', in_progress: '[>]', done: '[x]' } as const;
type Item = { text: string; status: keyof typeof SIGNS };

export const todo: Tool = {
  name: 'todo',
  description:
    'Keeps your own list of steps for work that has three or more of them. Every call replaces the whole list; the answer shows it. Mark a step in_progress when you begin it and done when it has really been done.',
  parameters: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: 50,
        items: {
          type: 'object',
          properties: {
            text: { type: 'string', minLength: 1, maxLength: 500 },
            status: { type: 'string', enum: Object.keys(SIGNS) },
          },
          required: ['text', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['items'],
    additionalProperties: false,
  },
  async run(args) {
    const items = args.items as Item[];
    if (items.some(({ text }) => text.trim() === '')) return failed('a step has no text');
    if (items.length === 0) return succeeded('The list is empty.', 'todo: empty');
    const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
    const lines = items.map(({ text, status }, i) => `${i + 1}. ${SIGNS[status]} ${flat(text)}`);
    const done = items.filter(({ status }) => status === 'done').length;
    const now = items.find(({ status }) => status === 'in_progress');
    return succeeded(
      `${lines.join('\n')}\n${done} of ${items.length} done.`,
      `todo: ${done} of ${items.length} done${now ? `, now: ${flat(now.text)}` : ''}`,
    );
  },
};

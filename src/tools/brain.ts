// The shared notes of the agents of one request as two tools. Notes are data with their author; they are read when an
// agent asks, and an agent that records learns only how many there are.
import type { BrainNote } from '../domain/brain.ts';
import { NOTE_LIMIT } from '../domain/brain.ts';
import { frameData } from '../domain/data-frame.ts';
import type { Tool } from '../domain/tool.ts';
import { failed, succeeded } from './result.ts';

const count = (n: number): string => `${n} ${n === 1 ? 'note' : 'notes'}`;

const record: Tool = {
  name: 'brain_record',
  description:
    'Leaves a note for the other agents of this request as soon as you know something that they need: a decision, an interface, a trap, where a file is. They can read it at once.',
  parameters: {
    type: 'object',
    properties: { note: { type: 'string', minLength: 1, maxLength: NOTE_LIMIT } },
    required: ['note'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const note = String(args.note);
    const answer = await ctx.host.brain({ op: 'record', call_id: ctx.call_id, note });
    if (!answer.ok) return failed(`${answer.code}: ${answer.message}`);
    if (!('note_id' in answer)) return failed('the answer of the runtime had another shape');
    const { note_id, others } = answer;
    const there =
      others > 0
        ? ` Of others there ${others === 1 ? 'is' : 'are'} ${count(others)}: brain_query shows them.`
        : '';
    return succeeded(`Recorded as note ${note_id}.${there}`, `note ${note_id}`);
  },
};

const describe = ({ note_id, author, role, branch, at, note }: BrainNote): string =>
  `note ${note_id}, ${at}, branch ${branch}\n${frameData(`${role}, ${author}`, note)}`;

const query: Tool = {
  name: 'brain_query',
  description:
    'Shows the notes of the agents of this request: all, those that hold a word of the query, or those of one branch. Name a note that you use as "note 3".',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 500 },
      branch: {
        type: 'string',
        minLength: 1,
        description: 'main, or the task_id of a task that the main agent started.',
      },
    },
    additionalProperties: false,
  },
  async run(args, ctx) {
    const { query: words = null, branch = null } = args as { query?: string; branch?: string };
    const answer = await ctx.host.brain({ op: 'query', query: words, branch });
    if (!answer.ok) return failed(`${answer.code}: ${answer.message}`);
    if (!('notes' in answer)) return failed('the answer of the runtime had another shape');
    const { notes, total, branches } = answer;
    if (total === 0) return succeeded('There are no notes yet.', 'no notes');
    const head = `${count(notes.length)} of ${total}; branches: ${branches.join(', ')}`;
    return succeeded([head, ...notes.map(describe)].join('\n\n'), head);
  },
};

export const brainTools = (): Tool[] => [record, query];

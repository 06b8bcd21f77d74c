// The shape of a review, and how a query says whether a person is asked.
import Type from 'typebox';
import { REVIEW_MODES } from '../domain/query.ts';
import { REVIEW_KINDS, REVIEW_STATUSES } from '../domain/review.ts';
import { id, orNull, record, text, time, words } from './shape-parts.ts';

export const reviewMode = Type.Enum([...REVIEW_MODES], {
  type: 'string',
  description:
    'Whether a person is asked. wait: agents wait for the answer, and the query with its own for what is to be remembered. defer (default): they go on, a late answer reaches them as a message. off: nobody is asked',
});

export const waitingFor = Type.Array(Type.String(), {
  description: 'Pending reviews whose decision is waited for: review ids',
});

export const review = Type.Object({
  review_id: id('UUIDv7'),
  kind: words(REVIEW_KINDS, 'What is asked'),
  query_id: Type.String(),
  task_id: orNull(text('null: the main agent or the runtime asks')),
  agent_id: orNull(Type.String()),
  role: Type.String(),
  path: Type.Array(Type.String(), {
    description: 'From the top of the tree to whoever asks: ["main agent", "architect agent #2"]',
  }),
  context: text('What it is at work on'),
  request: record(
    'question: {question, options}. approval: {action, detail, subject}. memory: {items: [{path, layer, rationale, note, evidence, confidence, confidence_why, file_size}]}',
  ),
  decision: orNull(
    record(
      'question: {answer, option}. approval: {decision, reason}. memory: {items: [{path, decision, layer, rationale, note, reason}]}. null: none was made',
    ),
  ),
  status: words(REVIEW_STATUSES, 'expired: nobody decided in time. withdrawn: not needed any more'),
  blocking: Type.Boolean({ description: 'Somebody waits for it' }),
  allowed: orNull(text('What may be decided; null when it is closed')),
  created_at: time('When it was asked'),
  expires_at: time('Until when it can be decided'),
  decided_at: orNull(time('When it was closed')),
  decided_by: orNull(text('Name of the API key, or what has closed it')),
});

// Checks an envelope by hand: a role server starts nothing from one that main did not make. No schema compiler.
import { AppError } from '../domain/errors.ts';
import { isReplyLanguage } from '../domain/language.ts';
import type { Envelope } from '../domain/run.ts';

const TEXTS = [
  'run_id',
  'thread_id',
  'agent_id',
  'query_id',
  'role',
  'run_token',
  'prompt',
  'model',
  'workdir',
  'memory_block',
] as const;

/** Throws bad_request that names the first wrong field. */
export function checkEnvelope(body: unknown, thread_id: string, role: string): Envelope {
  const bad = (what: string): never => {
    throw new AppError('bad_request', `not a valid envelope: ${what}`);
  };
  if (typeof body !== 'object' || body === null) return bad('no object');
  const envelope = body as Envelope;
  if (envelope.v !== 1) bad(`version ${String(envelope.v)}, expected 1`);
  for (const key of TEXTS) if (typeof envelope[key] !== 'string') bad(`${key} is not a text`);
  if (!Array.isArray(envelope.messages)) bad('messages is not a list');
  if (!Array.isArray(envelope.tools) || !envelope.tools.every((t) => typeof t === 'string'))
    bad('tools is not a list of names');
  if (typeof envelope.spawn !== 'object' || envelope.spawn === null) bad('spawn is missing');
  if (typeof envelope.limits !== 'object' || envelope.limits === null) bad('limits is missing');
  if (envelope.language !== null && !isReplyLanguage(envelope.language)) bad('language');
  if (typeof envelope.output_schema !== 'object') bad('output_schema');
  if (!Number.isInteger(envelope.first_step) || envelope.first_step < 0) bad('first_step');
  if (typeof envelope.begun !== 'object' || envelope.begun === null) bad('begun is missing');
  if (envelope.thread_id !== thread_id) bad('thread_id differs from the path');
  if (envelope.role !== role) bad(`role is "${envelope.role}", this server serves "${role}"`);
  return envelope;
}

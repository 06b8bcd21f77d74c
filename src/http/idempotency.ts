// Idempotency-Key: the same request twice is one piece of work. The row is written by the port, in the
// same unit of work as the acceptance; nothing here remembers anything.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import type { Also } from './services.ts';

export type IdempotencyAsk = {
  /** Name of the API key; empty where none is needed. */
  api_key: string;
  /** Method and path, ids included: "POST /v1/tasks". */
  route: string;
  key: string;
  /** sha256 of the body as canonical JSON, hex. */
  body_hash: string;
};
export type StoredAnswer = { status: number; response: string };
export type Claim = {
  /**
   * Runs `work` and writes the row: in the unit of work in which it accepts when `work` hands `also` on,
   * else right after it. When `work` fails the key is free again. Durable before it resolves.
   */
  run<T>(work: (also: Also<T>) => Promise<T>, answer: (accepted: T) => StoredAnswer): Promise<T>;
};
export type IdempotencyPort = {
  /** `new`: the key is taken until its claim has run. Rows live for 24 hours. */
  begin(
    ask: IdempotencyAsk,
  ): Promise<
    | { found: 'new'; claim: Claim }
    | { found: 'answer'; answer: StoredAnswer }
    | { found: 'other_body' }
    | { found: 'in_progress' }
  >;
};

/** JSON with sorted keys: the order in which a client writes its fields means nothing. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${fields.join(',')}}`;
}

const KEY = /^[\x21-\x7e]{1,255}$/;
/** The key, or null when the caller sent none. Quotes of a structured field are taken off. */
function keyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(',') : header.trim();
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (KEY.test(key)) return key;
  throw new AppError(
    'bad_request',
    'Idempotency-Key must be 1 to 255 visible ASCII characters; a UUID is a good one',
  );
}

export type Once<T> = { fresh: true; accepted: T } | { fresh: false; body: unknown };

/** Does `work` once per key. A repetition gets the stored answer: its status is set, its body returned. */
export async function once<T>(
  { request, reply, port }: { request: FastifyRequest; reply: FastifyReply; port: IdempotencyPort },
  work: (also?: Also<T>) => Promise<T>,
  answer: (accepted: T) => { status: number; body: unknown },
): Promise<Once<T>> {
  const key = keyOf(request.headers['idempotency-key']);
  if (key === null) return { fresh: true, accepted: await work() };
  const begun = await port.begin({
    api_key: request.api_key?.name ?? '',
    route: `${request.method} ${request.url.split('?', 1)[0]}`,
    key,
    body_hash: createHash('sha256').update(canonical(request.body)).digest('hex'),
  });
  if (begun.found === 'other_body')
    throw new AppError(
      'idempotency_mismatch',
      `the Idempotency-Key "${key}" was used with another body; use a new key for a new request`,
    );
  if (begun.found === 'in_progress')
    throw new AppError(
      'conflict',
      `the first request with the Idempotency-Key "${key}" is still in progress; ask again in a moment`,
    );
  if (begun.found === 'answer') {
    reply.code(begun.answer.status).header('idempotency-replayed', 'true');
    return { fresh: false, body: JSON.parse(begun.answer.response) };
  }
  const accepted = await begun.claim.run(work, (found) => {
    const { status, body } = answer(found);
    return { status, response: JSON.stringify(body) };
  });
  return { fresh: true, accepted };
}

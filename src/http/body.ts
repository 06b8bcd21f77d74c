// Reads a JSON body: strict UTF-8, no prototype keys, bounded depth. Never lets a broken one through.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/errors.ts';

const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Deepest nesting of arrays and objects, without parsing: a parser would recurse. */
function jsonDepth(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPEN.has(byte)) deepest = Math.max(deepest, ++depth);
    else if (CLOSE.has(byte)) depth -= 1;
  }
  return deepest;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('bad_request', 'the body is not valid UTF-8', { cause });
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const refuse = (what: string): never => {
  throw new AppError('bad_request', `the body has ${what}`);
};

/** Names that would reach a prototype, and text that no UTF-8 can carry on. Depth is bounded before. */
function inspect(value: unknown): void {
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) refuse('text with half of a surrogate pair');
    if (value.includes('\0')) refuse('text with a NUL character');
  } else if (Array.isArray(value)) value.forEach(inspect);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__') refuse('a key named __proto__');
      if (key === 'constructor' && Object.hasOwn(Object(inner), 'prototype'))
        refuse('a key named constructor.prototype');
      inspect(key);
      inspect(inner);
    }
}

export function readJson(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined;
  const depth = jsonDepth(bytes);
  if (depth > maxDepth)
    throw new AppError(
      'bad_request',
      `the JSON is nested ${depth} deep; ${maxDepth} levels are allowed`,
    );
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'syntax error';
    throw new AppError('bad_request', `the body is not valid JSON: ${why}`, { cause });
  }
  inspect(value);
  return value;
}

/** JSON is the only content type: `text/plain` would let any web page post here without a preflight. */
export function useStrictJson(app: FastifyInstance, maxDepth: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => readJson(bytes, maxDepth),
  );
}

// `Prefer: wait=N` (RFC 7240): how long the caller would wait, and when it no longer does.
import type { FastifyReply } from 'fastify';

/** Milliseconds, at most `most`; 0 when the header does not say. What cannot be read is ignored. */
export function preferredWait(header: string | string[] | undefined, most: number): number {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(text)?.[1];
  return seconds === undefined ? 0 : Math.min(Number(seconds) * 1000, most);
}

/**
 * Fires when the caller hangs up or the server closes. Not request.signal: that one fires as soon as a
 * body has been read.
 */
export function hangUp(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const fire = () => gone.abort();
  // Not AbortSignal.any: it would hang a remnant of every request on the long-lived signal.
  if (closing.aborted) fire();
  closing.addEventListener('abort', fire, { signal: gone.signal });
  reply.raw.once('close', fire);
  return gone.signal;
}

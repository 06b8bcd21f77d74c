// How work that takes time is accepted: once per Idempotency-Key, 202 with a Location, or 200 when the
// caller preferred to wait and it has ended by then.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Http } from './context.ts';
import { once } from './idempotency.ts';
import { hangUp, preferredWait } from './prefer.ts';
import type { Also } from './services.ts';

type Acceptance<T, V> = {
  /** Accepts; durable when it resolves. `also` goes to the service, if it takes one. */
  work(also?: Also<T>): Promise<T>;
  /** The body of the 202. */
  view(accepted: T): V;
  location(body: V): string;
  wait(body: V, ms: number, signal: AbortSignal): Promise<void>;
  /** How it is after the wait. */
  read(body: V): Promise<V>;
  ended(now: V): boolean;
};

export async function accept<T, V>(
  http: Http,
  request: FastifyRequest,
  reply: FastifyReply,
  act: Acceptance<T, V>,
): Promise<V> {
  reply.code(202);
  const done = await once({ request, reply, port: http.idempotency }, act.work, (accepted) => ({
    status: 202,
    body: act.view(accepted),
  }));
  const body = done.fresh ? act.view(done.accepted) : (done.body as V);
  reply.header('location', act.location(body));
  const ms = preferredWait(request.headers.prefer, http.limits.wait_ms);
  if (!done.fresh || ms === 0) return body;
  reply.header('preference-applied', `wait=${ms / 1000}`);
  await act.wait(body, ms, hangUp(reply, http.closing));
  const now = await act.read(body);
  if (act.ended(now)) reply.code(200);
  return now;
}

// Main's side of a role server: starts, cancels and steers runs, asks for health. Every call has a deadline.
// Talks to the address it was given and never through a proxy.
import { Pool } from 'undici';
import { AppError } from '../domain/errors.ts';
import type { RoleClient } from '../domain/ports.ts';
import { parseJson, receivedError } from './http-json.ts';
import { type Health, LINE_LIMIT } from './protocol.ts';

export type RoleConnection = RoleClient & {
  /**
   * One probe. Throws start_not_ready (503: not yet), start_identity_mismatch (answers, but not as a role
   * server) or server_unreachable (no connection, or no answer within the deadline: data.timeout).
   */
  health(challenge: string, deadline_ms: number): Promise<Health>;
  /** Asks it to exit: when what runs is finished, or, with a number, leaving it after so many milliseconds. */
  shutdown(leave_ms: number | null): Promise<void>;
  close(): void;
};
export type RoleClientDeps = {
  /** `http://127.0.0.1:PORT` */
  endpoint: string;
  server_token: string;
  /** The child's own deadline for a cancel; ours is a second longer. */
  cancel_deadline_ms: number;
};

/** A start is a small write on loopback; more than this means that the process is stuck. */
const CALL_DEADLINE_MS = 10_000;

export function createRoleClient(deps: RoleClientDeps): RoleConnection {
  const pool = new Pool(deps.endpoint, {
    connections: 16, // a cancel holds its connection for seconds; starts must not wait behind it
    pipelining: 1,
    connect: { timeout: 3_000 },
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0, // the deadline of each call covers it
    bodyTimeout: 0,
  });
  // A run is found by its own id; the thread in the path is only the shape of the protocol.
  const runPath = (run_id: string): string => `/threads/-/runs/${encodeURIComponent(run_id)}`;

  async function call(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    deadline_ms: number,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(deadline_ms)));
    try {
      const res = await pool.request({
        method,
        path,
        signal,
        headers: {
          ...headers,
          authorization: `Bearer ${deps.server_token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: res.statusCode, body: await readSmall(res.body) };
    } catch (error) {
      const why = signal.aborted ? `no answer within ${deadline_ms} ms` : causeOf(error);
      throw new AppError('server_unreachable', `role server at ${deps.endpoint}: ${why}`, {
        data: { timeout: signal.aborted },
        cause: error,
      });
    }
  }
  async function ask(path: string, body: unknown, deadline_ms: number): Promise<unknown> {
    const res = await call('POST', path, body, deadline_ms);
    if (res.status !== 200) throw receivedError(res.status, res.body, 'server_unreachable');
    return res.body;
  }

  return {
    async start(envelope) {
      const path = `/threads/${encodeURIComponent(envelope.thread_id)}/runs`;
      // Once more after a broken connection: the child knows the run by its id and token.
      await ask(path, envelope, CALL_DEADLINE_MS).catch((error: unknown) => {
        const broken = error instanceof AppError && error.code === 'server_unreachable';
        if (!broken || error.data.timeout === true || error.data.status !== undefined) throw error;
        return ask(path, envelope, CALL_DEADLINE_MS);
      });
    },
    async cancel(run_id, reason) {
      await ask(`${runPath(run_id)}/cancel`, { reason }, deps.cancel_deadline_ms + 1_000);
    },
    async steer(run_id, text) {
      const body = await ask(`${runPath(run_id)}/messages`, { text }, CALL_DEADLINE_MS);
      return (body as { result?: unknown } | null)?.result === 'delivered' ? 'delivered' : 'missed';
    },
    async health(challenge, deadline_ms) {
      const { status, body } = await call('GET', '/health', undefined, deadline_ms, {
        'x-troupe-challenge': challenge,
      });
      if (status === 503) throw new AppError('start_not_ready', 'it answers 503: not ready');
      if (status !== 200 || !isHealth(body))
        throw new AppError(
          'start_identity_mismatch',
          `${deps.endpoint} answers ${status}, but not as a role server`,
        );
      return body;
    },
    async shutdown(leave_ms) {
      // 2 s: only the acknowledgement; the process is watched by its exit.
      await ask('/shutdown', leave_ms === null ? {} : { leave_ms }, 2_000);
    },
    close: () => void pool.destroy().catch(() => {}),
  };
}

/** Answers are small; a stranger on the port may send anything. Not JSON: null. */
async function readSmall(body: AsyncIterable<Buffer> & { destroy(): void }): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > LINE_LIMIT) {
      body.destroy();
      return null;
    }
    parts.push(part);
  }
  try {
    return parseJson(Buffer.concat(parts));
  } catch {
    return null;
  }
}

function isHealth(body: unknown): body is Health {
  const h = body as Health | null;
  return (
    typeof h === 'object' &&
    h !== null &&
    [h.role, h.build, h.nonce_proof].every((one) => typeof one === 'string') &&
    Number.isInteger(h.pid)
  );
}

function causeOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? String(error);
}

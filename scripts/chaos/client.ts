// A client that outlives the server: every call is repeated until it has been answered. What it repeats must be
// idempotent or harmless: that is the caller's business.
import { setTimeout as pause } from 'node:timers/promises';

/** A frozen server answers nothing: ask again, it may be another by then. */
const ANSWER_MS = 5_000;
const AGAIN_MS = 100;

export type Reply<T> = {
  status: number;
  body: T;
  /** Earlier tries had no answer: one of them may have taken effect. */
  repeated: boolean;
};
export type Client = {
  ask<T>(method: string, path: string, body?: object, key?: string): Promise<Reply<T>>;
  /** The body of a 2xx, else an error with the answer. */
  get<T>(path: string): Promise<T>;
  /** All rows behind a path that is paged by cursor. */
  all<T>(path: string): Promise<T[]>;
};

/** `deadline_ms`: for one call with all its repetitions. */
export function createClient(url: () => string | null, deadline_ms: number): Client {
  async function once<T>(method: string, path: string, body?: object, key?: string) {
    const base = url();
    if (base === null) return null;
    try {
      const answer = await fetch(`${base}${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(key ? { 'idempotency-key': key } : {}),
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return { status: answer.status, body: (await answer.json()) as T };
    } catch {
      return null; // no server, or it died over the answer
    }
  }
  /** "In progress" and "shutting down" say: later. */
  const later = (status: number, body: unknown): boolean =>
    status === 503 || (status === 409 && JSON.stringify(body).includes('still in progress'));

  async function ask<T>(method: string, path: string, body?: object, key?: string) {
    const deadline = performance.now() + deadline_ms;
    for (let repeated = false; ; ) {
      const reply = await once<T>(method, path, body, key);
      if (reply && !later(reply.status, reply.body)) return { ...reply, repeated };
      repeated ||= reply === null;
      if (performance.now() > deadline)
        throw new Error(`${method} ${path}: no answer within ${deadline_ms} ms`);
      await pause(AGAIN_MS);
    }
  }
  async function get<T>(path: string): Promise<T> {
    const { status, body } = await ask<T>('GET', path);
    if (status === 200) return body;
    throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  }
  return {
    ask,
    get,
    async all<T>(path: string) {
      const rows: T[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { data: T[]; next_cursor: string | null } = await get(
          `${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor && `&cursor=${cursor}`}`,
        );
        rows.push(...page.data);
        cursor = page.next_cursor;
      }
      return rows;
    },
  };
}

// Requests from a role server to main over node:http: one attempt, or attempts until main has answered.
import { setMaxListeners } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { AppError, ERRORS } from '../domain/errors.ts';
import { joinSignals } from '../domain/join-signals.ts';
import { parseJson, readBytes, receivedError } from './http-json.ts';
import { MESSAGE_LIMIT } from './protocol.ts';

export type MainCallsDeps = {
  main_url: string;
  run_token: string;
  agent: Agent;
  lifeline: AbortSignal;
  pause: (attempt: number) => number;
  onFenced: (why: string) => void;
};
/** Statuses that say: this run is not (or no longer) main's. */
const FENCED = new Set([401, 409, 410]);
/** Attempts at a call that main answers with an error that should not last. */
const TRIES_ON_INTERNAL = 5;

export function createMainCalls(deps: MainCallsDeps) {
  const base = new URL(deps.main_url);
  setMaxListeners(0, deps.lifeline); // every call under way listens to it
  let fenced = false;

  /** Resolves with the head of the answer. `deadline_ms` bounds the time to it; null: no bound. */
  const post = (path: string, body: Buffer, deadline_ms: number | null, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const req = request({
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path,
        method: 'POST',
        agent: deps.agent,
        headers: {
          authorization: `Bearer ${deps.run_token}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      });
      const stop = (): void => void req.destroy(new AppError('cancelled', 'the call was stopped'));
      const timer =
        deadline_ms === null
          ? undefined
          : setTimeout(() => req.destroy(timedOut(path, deadline_ms)), deadline_ms);
      signal.addEventListener('abort', stop, { once: true });
      req.once('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      });
      req.once('response', resolve).on('error', reject);
      req.end(body);
      if (signal.aborted) stop();
    });

  /** Throws when the answer is not a 200; notices that the run is fenced off. */
  const accept = async (res: IncomingMessage): Promise<IncomingMessage> => {
    const status = res.statusCode ?? 0;
    if (status === 200) return res;
    const body = await readBytes(res, MESSAGE_LIMIT)
      .then(parseJson)
      .catch(() => null);
    const error = receivedError(status, body, 'internal');
    if (FENCED.has(status) && !fenced) {
      fenced = true;
      deps.onFenced(error.message);
    }
    throw error;
  };

  const pack = (path: string, body: unknown): Buffer => {
    const bytes = Buffer.from(JSON.stringify(body));
    if (bytes.length > MESSAGE_LIMIT)
      throw new AppError(
        'body_too_large',
        `${path}: ${bytes.length} bytes, more than ${MESSAGE_LIMIT}`,
      );
    return bytes;
  };

  /** Attempts until main has answered, the signal or the lifeline ends it, or the answer is final. */
  async function insist<T>(
    signal: AbortSignal,
    again: (error: unknown, attempt: number) => boolean,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let n = 0; ; n += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) throw new AppError('cancelled', 'the call was stopped');
        if (fenced || !again(error, n)) throw error;
        await rest(deps.pause(n), signal);
      }
    }
  }

  return {
    /** One JSON call, repeated until acknowledged; for idempotent calls only. */
    async json(
      path: string,
      body: unknown,
      { deadline_ms, signal }: { deadline_ms: number; signal?: AbortSignal },
    ): Promise<unknown> {
      const bytes = pack(path, body);
      const ending = joinSignals([deps.lifeline, signal]);
      try {
        return await insist(ending.signal, worthRepeating, async () => {
          const res = await accept(await post(path, bytes, deadline_ms, ending.signal));
          return parseJson(await readBytes(res, MESSAGE_LIMIT));
        });
      } finally {
        ending.release();
      }
    },
    /** One attempt; nobody waits for the answer. */
    async once(path: string, body: unknown, deadline_ms: number): Promise<void> {
      (await accept(await post(path, pack(path, body), deadline_ms, deps.lifeline))).resume();
    },
    /** Opens a stream. Repeated only while main has not begun to answer: nothing has been said then. */
    async open(path: string, body: unknown, signal: AbortSignal): Promise<IncomingMessage> {
      const bytes = pack(path, body);
      const ending = joinSignals([deps.lifeline, signal]);
      try {
        const res = await insist(ending.signal, notReached, async () =>
          accept(await post(path, bytes, null, ending.signal)),
        );
        res.once('close', ending.release);
        return res;
      } catch (error) {
        ending.release();
        throw error;
      }
    },
  };
}

/** A broken connection or a passing condition; what main has refused stays refused. */
function worthRepeating(error: unknown, attempt: number): boolean {
  if (!(error instanceof AppError)) return true;
  const status = error.data.status;
  if (status === undefined) return error.code === 'server_unreachable';
  if (ERRORS[error.code].retryable) return true;
  return error.code === 'internal' && attempt + 1 < TRIES_ON_INTERNAL;
}

/** The connection failed, or main accepts nothing just now; an error of the call itself is final. */
const PASSING = new Set(['storage_full', 'storage_busy', 'shutting_down', 'server_unreachable']);
const notReached = (error: unknown): boolean =>
  !(error instanceof AppError) || PASSING.has(error.code);

const timedOut = (path: string, ms: number): AppError =>
  new AppError('server_unreachable', `main has not answered ${path} within ${ms} ms`);

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });

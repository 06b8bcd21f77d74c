// From "it should run" to "it has proven who it is", inside one deadline. Whatever fails here leaves nothing
// behind: process gone, turn given back, one named error.
import { AppError } from '../domain/errors.ts';
import { newToken } from '../domain/ids.ts';
import type { Role } from '../domain/role.ts';
import type { Launched, Launcher, RawExit } from '../launch/launcher.ts';
import { identify } from './identity.ts';
import type { Turns } from './turns.ts';

export type StartDeps = {
  launcher: Launcher;
  turns: Turns;
  start_timeout_ms: number;
};
export type Start = {
  role: Role;
  instance: number;
  server_id: string;
  port: number;
  /** What has to be gone before this one may start. */
  after: Promise<unknown> | null;
  /** Aborted by whoever does not want it any more; the deadline aborts it as well. */
  abort: AbortController;
  onSpawn: (pid: number) => void;
};

export async function startServer(deps: StartDeps, start: Start): Promise<Launched> {
  const { signal } = start.abort;
  if (start.after) await untilAborted(start.after, signal);
  const release = await deps.turns.take(signal);
  const seconds = deps.start_timeout_ms / 1000;
  const late = new AppError(
    'start_timeout',
    `the ${start.role.name} role server was not ready within ${seconds} s`,
  );
  const timer = setTimeout(() => start.abort.abort(late), deps.start_timeout_ms);
  const nonce = newToken();
  try {
    const ask = { ...start, nonce, server_token: newToken() };
    const launched = await deps.launcher.start(ask, signal, start.onSpawn);
    const expected = { role: start.role.name, build: deps.launcher.build, nonce };
    try {
      if (launched.proves) await identify(launched, expected, deps.start_timeout_ms, signal);
      signal.throwIfAborted();
      return launched;
    } catch (error) {
      await launched.kill();
      throw withTail(error, await launched.exited);
    }
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** The failure with what the process said last, which is known only when it is gone. */
function withTail(error: unknown, exit: RawExit): unknown {
  if (!(error instanceof AppError) || exit.stderr_tail === '') return error;
  return new AppError(error.code, error.message, {
    data: { stderr_tail: exit.stderr_tail, ...error.data },
    cause: error,
  });
}

function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
    const go = (): void => resolve();
    work.then(go, go);
  });
}

// Is the server that answers the one that was started? One question with a challenge; only the right nonce, pid,
// role and build make it ready. A 503 means "not yet" and is asked again until the start's deadline.
import { AppError } from '../domain/errors.ts';
import { newToken } from '../domain/ids.ts';
import type { Launched, RawExit } from '../launch/launcher.ts';
import { sameSecret } from '../wire/bearer.ts';
import { type Health, proof } from '../wire/protocol.ts';

export type Expected = { role: string; build: string; nonce: string };

/** Between two questions to a server that is not ready yet. */
const AGAIN_MS = 50;

/**
 * Resolves when it has proven itself. Throws start_identity_mismatch, start_exited, start_not_ready (it said "not
 * yet" until the end) or the reason of `signal`, which carries the deadline; `limit_ms` bounds one question.
 */
export async function identify(
  launched: Launched,
  expected: Expected,
  limit_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = endOf(launched, signal);
  let said: AppError | null = null;
  for (;;) {
    const challenge = newToken();
    try {
      const health = await Promise.race([launched.client.health(challenge, limit_ms), over]);
      compare(health, launched.pid, challenge, expected);
      return;
    } catch (error) {
      if (!isNotYet(error)) throw error;
      if (error.data.timeout !== true) said = error;
    }
    const pause = new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    await Promise.race([pause, over]).catch((error: unknown) => {
      throw said !== null && isTimeout(error) ? notReady(said) : error;
    });
  }
}

/** Rejects when the server has gone or the caller's patience has. */
function endOf(launched: Launched, signal: AbortSignal): Promise<never> {
  const over = new Promise<never>((_, reject) => {
    void launched.exited.then((exit) => reject(exitedEarly(exit)));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  over.catch(() => {});
  return over;
}

function compare(health: Health, pid: number | null, challenge: string, expected: Expected): void {
  const wrong = (what: string): never => {
    throw new AppError('start_identity_mismatch', `not the server that was started: ${what}`);
  };
  if (!sameSecret(health.nonce_proof, proof(expected.nonce, `health:${challenge}`)))
    wrong('its proof is wrong');
  if (pid !== null && health.pid !== pid) wrong(`pid ${health.pid}, expected ${pid}`);
  if (health.role !== expected.role) wrong(`role "${health.role}", expected "${expected.role}"`);
  if (health.build !== expected.build)
    wrong(
      `build ${health.build}, expected ${expected.build}: the files were replaced while this main runs; restart it`,
    );
}

const isNotYet = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (error.code === 'start_not_ready' || error.code === 'server_unreachable');
const isTimeout = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'start_timeout';
const notReady = (said: AppError): AppError =>
  new AppError('start_not_ready', `it was not ready before the deadline: ${said.message}`);
const exitedEarly = (exit: RawExit): AppError => {
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return new AppError('start_exited', `it ended before it was ready (${how})`, {
    data: { ...exit },
  });
};

// What it means that a run could not be handed to its role server. Pure.
import { AppError } from '../domain/errors.ts';
import type { RoleServer } from '../domain/ports.ts';

/** A role server that cannot be reached is gone by then: exited, or killed after three missed probes of 5 s. */
export const GOING_MS = 25_000;

/**
 * `leaving`: the server takes nothing more and will be gone when its runs have ended. `unreached`: its process is
 * gone or hangs, and the supervisor is about to find out. Both take the run along. `failed`: the attempt is over.
 */
export type StartFailure = 'leaving' | 'unreached' | 'failed';

export function meaningOf(error: unknown, server: RoleServer | null): StartFailure {
  // Nobody watches over a server that is no process of ours.
  if (!server?.pid || !(error instanceof AppError)) return 'failed';
  if (error.code === 'shutting_down') return 'leaving';
  // With a status it was an answer, not a broken connection.
  return error.code === 'server_unreachable' && error.data.status === undefined
    ? 'unreached'
    : 'failed';
}

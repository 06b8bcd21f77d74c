// Outcomes of turns that did not come to their own end. Pure.
import { AppError } from '../domain/errors.ts';
import { noUsage } from '../domain/message.ts';
import type { RunOutcome } from '../domain/run.ts';

const ended = { text: '', usage: noUsage(), iterations: 0, model: null, background_left: [] };

export function brokenOff(error: unknown): RunOutcome {
  const message =
    error instanceof AppError ? error.message : 'the main agent broke off; see the log';
  const failure = { code: 'internal' as const, message, reasons: [message] };
  return { ...ended, status: 'failed', end_reason: 'error', error: failure };
}

export function cancelledBy(reason: string): Pick<RunOutcome, 'status' | 'end_reason' | 'error'> {
  const error = { code: 'cancelled' as const, message: reason, reasons: [reason] };
  return { status: 'cancelled', end_reason: 'cancelled', error };
}

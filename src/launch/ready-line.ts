// Reads the one line that a child writes to fd 3 when it listens. Trusts nothing: bounded, exact, proven.
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { sameSecret } from '../wire/bearer.ts';
import { LINE_LIMIT, proof, type ReadyLine, WIRE_VERSION } from '../wire/protocol.ts';

const bad = (what: string): AppError =>
  new AppError('start_bad_ready_line', `its ready line was refused: ${what}`);

/**
 * The line, once the child has closed fd 3 after it. Never resolves when the child says nothing: the caller has
 * the deadline and the exit.
 */
export function readReadyLine(fd3: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let patience: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(patience);
      const all = Buffer.concat(parts);
      const end = all.indexOf(10);
      if (all.length === 0) return; // closed without a word: it will exit, or the deadline comes
      if (end < 0) reject(bad('it has no end'));
      else if (end !== all.length - 1) reject(bad('there is more than one line'));
      else
        try {
          resolve(new TextDecoder('utf-8', { fatal: true }).decode(all.subarray(0, end)));
        } catch {
          reject(bad('it is not UTF-8'));
        }
    };
    fd3.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LINE_LIMIT) {
        fd3.destroy();
        reject(bad(`it is longer than ${LINE_LIMIT} bytes`));
        return;
      }
      parts.push(chunk);
      // 100 ms: a child that keeps fd 3 open has this long to spoil its line with a second one.
      if (chunk.includes(10)) patience ??= setTimeout(settle, 100);
    });
    fd3.once('end', settle).on('error', () => {});
  });
}

/** Checks version, pid, port and proof; throws start_bad_ready_line. */
export function parseReadyLine(line: string, nonce: string, pid: number): ReadyLine {
  let ready: ReadyLine;
  try {
    ready = JSON.parse(line) as ReadyLine;
  } catch {
    throw bad('it is not JSON');
  }
  if (typeof ready !== 'object' || ready === null) throw bad('it is not an object');
  if (ready.v !== WIRE_VERSION) throw bad(`version ${String(ready.v)}, expected ${WIRE_VERSION}`);
  if (ready.pid !== pid) throw bad(`pid ${String(ready.pid)}, expected ${pid}`);
  if (!Number.isInteger(ready.port) || ready.port < 1 || ready.port > 65_535)
    throw bad(`port ${String(ready.port)}`);
  const expected = proof(nonce, `ready:${pid}:${ready.port}`);
  if (typeof ready.nonce_proof !== 'string' || !sameSecret(ready.nonce_proof, expected))
    throw bad('its proof is wrong');
  return ready;
}

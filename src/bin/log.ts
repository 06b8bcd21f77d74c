// Main's log: JSON lines on stderr (at a terminal: lines for people), without any secret that the configuration knows, whatever text it hides in.
import pino from 'pino';
import type { Log } from '../domain/ports.ts';
import { lineForPeople } from './log-line.ts';

/** Keys of providers and code hosts, bearer tokens, private keys. */
const SHAPES = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}|\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*/g,
  /\b(?:gh[oprsu]_|github_pat_|glpat-|xox[abprs]-|npm_|AIza)[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{1,80})*/g,
];

/** Replaces every known secret value, and what looks like a key of a well-known kind (`shapes`). */
export function createMask(
  secrets: readonly string[],
  shapes: readonly RegExp[] = SHAPES,
): (text: string) => string {
  // Short values would blank out ordinary words.
  const known = [...new Set(secrets.flatMap((s) => [s, JSON.stringify(s).slice(1, -1)]))]
    .filter((s) => s.length >= 6)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const secret of known) out = out.replaceAll(secret, '[secret]');
    for (const shape of shapes) out = out.replace(shape, '[secret]');
    return out;
  };
}

export function createLog(level: string, mask: (text: string) => string): Log {
  const stream = {
    write(line: string): void {
      // A log that nobody reads any more is no reason to stop.
      try {
        process.stderr.write(mask(process.stderr.isTTY ? lineForPeople(line) : line));
      } catch {
        // nothing to tell it to
      }
    },
  };
  const log = pino(
    {
      level,
      // Not the usual pid and hostname: the pid of a line is that of the role server which it tells of.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

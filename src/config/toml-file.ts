// Reads one TOML file and goes on after mistakes: each broken or repeated line is reported, taken out, and the
// rest is read. Never throws for what is in the file.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import type { Problem } from './problem.ts';
import { keyLines, lineFinder, readKey } from './toml-lines.ts';

export type TomlFile = {
  /** As shown to people. */
  name: string;
  path: string;
  /** Whole numbers are bigint, so that 30.0 differs from 30. */
  tables: Record<string, unknown>;
  line(path: readonly string[]): number | null;
  problems: Problem[];
};

/** Bytes; a configuration file is far smaller. */
const FILE_LIMIT = 1024 * 1024;
/** Broken lines taken out before the rest is given up. */
const REPAIRS = 100;
/** Tables that stand for a header that was taken out; their keys are not judged. */
export const SKIPPED = '__skipped_';

/** The text of a regular file of at most 1 MiB in UTF-8; throws a short reason otherwise. */
export function readText(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a file');
    if (stat.size > FILE_LIMIT) throw new Error(`it has ${stat.size} bytes, at most ${FILE_LIMIT}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fd));
  } catch (error) {
    if (error instanceof TypeError) throw new Error('it is not text in UTF-8');
    throw error;
  } finally {
    closeSync(fd);
  }
}

export const reason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = {
    ENOENT: 'it does not exist',
    EACCES: 'no permission to read it',
    EISDIR: 'it is a folder',
  };
  return words[code ?? ''] ?? message;
};

function complain(name: string, line: number, lines: string[], error: TomlError): Problem {
  const message = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? '';
  const again = message.includes('redefine');
  const known = keyLines(lines.slice(0, line).join('\n'));
  const here = known.findLast((k) => k.line === line)?.path.join('.');
  const first = known.find((k) => k.path.join('.') === here)?.line ?? line;
  const bare = readKey((lines[line - 1] ?? '').replace(/^\s*\[{1,2}/, ''))?.path.join('.');
  return {
    file: name,
    line,
    key: here ?? bare ?? '(line)',
    // The value stays out of it: it may be a secret.
    found: again
      ? `a second definition${first < line ? ` (the first is in line ${first})` : ''}`
      : `broken TOML: ${message}`,
    allowed: again ? 'each key and each table once' : 'key = value, or [table]',
  };
}

/** First and last line to take out, from 1: a list or inline table that was left open goes from its key on. */
function brokenLines(lines: string[], error: TomlError): [number, number] {
  const at = Math.min(error.line, lines.length);
  if (!error.message.includes('end of structure')) return [at, at];
  const opened =
    keyLines(lines.slice(0, at).join('\n')).findLast((k) => k.kind === 'key')?.line ?? at;
  return [opened, Math.max(opened, at - 1)];
}

/** Parses as much as can be understood. What only follows from a text that was left open is not reported. */
export function parseToml(
  name: string,
  text: string,
): Pick<TomlFile, 'tables' | 'line' | 'problems'> {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const problems: Problem[] = [];
  let tables: Record<string, unknown> = {};
  let insideText = 0;
  for (let n = 0; n <= REPAIRS; n += 1) {
    try {
      tables = parse(lines.join('\n'), { integersAsBigInt: true });
      break;
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [from, to] = brokenLines(lines, error);
      const broken = lines[from - 1] ?? '';
      if (from !== insideText) problems.push(complain(name, from, lines, error));
      const unfinished = error.message.includes('unfinished string');
      insideText = unfinished || from === insideText ? to + 1 : 0;
      const header = /^\s*\[/.test(broken) && !broken.includes(SKIPPED);
      lines.fill('', from - 1, to);
      if (header) lines[from - 1] = `[${SKIPPED}${n}]`;
    }
  }
  return { tables, problems, line: lineFinder(lines.join('\n')) };
}

/** Throws what the file system says when the file cannot be read. */
export function readToml(name: string, path: string): TomlFile {
  return { name, path, ...parseToml(name, readText(path)) };
}

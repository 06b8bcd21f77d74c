// The search where there is no ripgrep: line by line with JavaScript patterns. Does not read ignore files.
import { constants as C } from 'node:fs';
import { headOf } from '../../domain/text.ts';
import { checkFile, type Opened, type OpenedFolder, openVerified } from './confine.ts';
import type { Matches, SearchAsk } from './ripgrep.ts';
import { walk } from './walk.ts';

const MOST_BYTES = 4 * 1024 * 1024;
/** A pattern that backtracks can be stopped only between lines, so long lines are searched in part. */
const LINE_LIMIT = 10_000;

async function textOf(file: Opened): Promise<string | null> {
  if (file.stat.size > MOST_BYTES) return null;
  const bytes = await file.handle.readFile();
  return bytes.subarray(0, 8192).includes(0) ? null : bytes.toString('utf8');
}

type Shown = { at: number; matches: boolean; apart: boolean };

/** The lines that are shown: matches and `context` lines around each, no line twice. */
function around(found: readonly number[], context: number, total: number): Shown[] {
  const matches = new Set(found);
  const all = found.flatMap((at) =>
    Array.from({ length: 2 * context + 1 }, (_, i) => at - context + i),
  );
  const lines = [...new Set(all)].filter((at) => at >= 0 && at < total).sort((a, b) => a - b);
  return lines.map((at, i) => ({
    ...{ at, matches: matches.has(at) },
    apart: context > 0 && at !== (lines[i - 1] ?? -2) + 1,
  }));
}

/** Gathers what is shown of one text after the other, within the limits of the search. */
function createFinder(regex: RegExp, ask: SearchAsk) {
  const deadline = performance.now() + ask.deadline_ms;
  const late = (): boolean => ask.signal.aborted || performance.now() > deadline;
  const out: string[] = [];
  let bytes = 0;
  const full = (): boolean => bytes > ask.max_bytes;
  const say = (row: string): void => {
    out.push(row);
    bytes += Buffer.byteLength(row) + 1;
  };
  function showLines(lines: string[], found: number[], path: string): void {
    for (const { at, matches, apart } of around(found, ask.context, lines.length)) {
      if (full()) return;
      const sign = matches ? ':' : '-';
      if (apart && out.length > 0) say('--');
      say(`${path === '' ? '' : path + sign}${at + 1}${sign}${headOf(lines[at] ?? '', 500)}`);
    }
  }
  return {
    stop: (): boolean => late() || full(),
    /** `path`: as it is shown; empty for a search in one file. */
    search(text: string, path: string): void {
      const lines = text.replace(/\n$/, '').split('\n');
      const found = lines.flatMap((line, i) =>
        !late() && regex.test(line.slice(0, LINE_LIMIT)) ? [i] : [],
      );
      if (found.length === 0) return;
      if (ask.show === 'files') say(path || '-');
      else if (ask.show === 'count') say(`${path === '' ? '' : `${path}:`}${found.length}`);
      else showLines(lines, found, path);
    },
    result: (): Matches => ({
      text: out.length > 0 ? `${out.join('\n')}\n` : '',
      ended: full() ? 'full' : late() ? 'deadline' : 'all',
      error: null,
    }),
  };
}

export async function plainSearch(
  root: string,
  where: OpenedFolder | Opened,
  ask: SearchAsk,
): Promise<Matches> {
  let regex: RegExp;
  try {
    const [, pattern = ''] = /^(?:\(\?i\))?([\s\S]*)$/.exec(ask.pattern) ?? [];
    regex = new RegExp(pattern, pattern === ask.pattern ? 'u' : 'iu');
  } catch (error) {
    return { text: '', ended: 'all', error: (error as Error).message };
  }
  const { search, stop, result } = createFinder(regex, ask);
  if (!('base' in where)) {
    search((await textOf(where)) ?? '', '');
    return result();
  }
  const { default: picomatch } = await import('picomatch');
  const wanted =
    ask.glob === null
      ? () => true
      : picomatch(ask.glob, { dot: true, basename: !ask.glob.includes('/') });
  const skip = new Set(ask.skip);
  for await (const entry of walk(where, { root, skip, stop })) {
    if (entry.kind !== 'file' || !wanted(entry.rel)) continue;
    const flags = C.O_RDONLY | C.O_NONBLOCK | C.O_NOFOLLOW;
    const path = `${entry.folder.base}/${entry.name}`;
    const file = await openVerified(root, path, entry.rel, flags).catch(() => null);
    if (!file) continue;
    try {
      checkFile(file, entry.rel);
      search((await textOf(file)) ?? '', `./${entry.rel}`);
    } catch {
      // not a file that may be read: not searched
    } finally {
      await file.handle.close();
    }
  }
  return result();
}

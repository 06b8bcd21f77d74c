// One search with the ripgrep program. It starts in an open, verified folder and follows no links.
// Never runs longer than its deadline, never keeps more than its budget of bytes.
import type { Opened, OpenedFolder } from './confine.ts';
import { KEPT } from './confine.ts';

export type SearchAsk = {
  pattern: string;
  /** Only files whose path matches, or null. */
  glob: string | null;
  /** Matching lines, or for each file its path alone or how many lines match. */
  show: 'lines' | 'files' | 'count';
  /** Lines around each matching line. */
  context: number;
  /** Also what ignore files name. */
  ignored: boolean;
  /** Names of folders that are left out. */
  skip: readonly string[];
  max_bytes: number;
  deadline_ms: number;
  signal: AbortSignal;
  markers: Readonly<Record<string, string>>;
};
/** `ended`: why there may be more matches than these. */
export type Matches = {
  text: string;
  ended: 'all' | 'full' | 'deadline';
  error: string | null;
};

/** Path of the program, or null where the package has none for this machine. */
export async function findRipgrep(): Promise<string | null> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return null;
  }
}

const FLAGS =
  '--no-config --color=never --no-heading --line-number --hidden --no-require-git --sort=path --max-columns=500 --max-columns-preview'.split(
    ' ',
  );

function argsFor(ask: SearchAsk, target: string): string[] {
  const only = ask.glob === null ? [] : [`--glob=${ask.glob}`];
  const never = [`--glob=!/${KEPT}/`];
  const skipped = ask.skip.map((name) => `--glob=!${name}/`);
  if (ask.ignored) skipped.push('--no-ignore');
  const shown = {
    lines: ask.context > 0 ? [`--context=${ask.context}`] : [],
    files: ['--files-with-matches'],
    count: ['--count'],
  }[ask.show];
  return [
    ...FLAGS,
    ...only,
    ...never,
    ...skipped,
    ...shown,
    `--regexp=${ask.pattern}`,
    '--',
    target,
  ];
}

/** `where`: an open folder (searched as a whole) or an open file (searched through its handle). */
export async function ripgrep(
  program: string,
  where: OpenedFolder | Opened,
  ask: SearchAsk,
): Promise<Matches> {
  const { spawn } = await import('node:child_process');
  const folder = 'base' in where ? where : null;
  const cwd = folder?.base.replace('/proc/self/', `/proc/${process.pid}/`) ?? '/';
  const child = spawn(program, argsFor(ask, folder ? '.' : '-'), {
    cwd,
    env: { ...ask.markers },
    stdio: [folder ? 'ignore' : where.handle.fd, 'pipe', 'pipe'],
  });
  const decoder = new TextDecoder();
  let text = '';
  let errors = '';
  let ended: Matches['ended'] = 'all';
  const end = (why: Matches['ended']): void => {
    if (ended === 'all') ended = why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end('deadline'), ask.deadline_ms);
  const abort = (): void => end('deadline');
  ask.signal.addEventListener('abort', abort, { once: true });
  if (ask.signal.aborted) abort();
  child.stdout?.on('data', (chunk: Buffer) => {
    if (ended !== 'all') return;
    text += decoder.decode(chunk, { stream: true });
    if (Buffer.byteLength(text) > ask.max_bytes) end('full');
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < 4_000) errors += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      errors ||= error.message;
      resolve(2);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  ask.signal.removeEventListener('abort', abort);
  return { text, ended, error: code === 2 && text === '' ? errors.trim() : null };
}

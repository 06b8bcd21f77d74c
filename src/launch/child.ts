// One child process from spawn to its last descendant: pipes drained, exit noticed, everything swept.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { MARK_SERVER } from '../wire/protocol.ts';
import type { RawExit } from './launcher.ts';
import { pumpLines } from './line-pump.ts';
import { readReadyLine } from './ready-line.ts';
import { killGroup, signal, sweep } from './sweep.ts';

export type ChildAsk = {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  /** Every line that the child prints, source first. */
  onLine: (source: 'stdout' | 'stderr', line: string) => void;
  mask: (text: string) => string;
};
export type Child = {
  pid: number;
  /** Writes the one line of the lifeline. */
  tell(line: string): void;
  readyLine: Promise<string>;
  /** Resolves when the process and everything that carries its mark are gone. */
  exited: Promise<RawExit>;
  alive(): boolean;
  term(): void;
  /** KILL to the whole group. */
  kill(): void;
};

const TAIL_LINES = 20;
const TAIL_LINE_LENGTH = 300;
/** After the exit the pipes may be held by what the child left behind: it is killed, not waited for. */
const DRAIN_MS = 200;

/** Resolves when the process exists; rejects with start_spawn_failed. */
export async function startChild(ask: ChildAsk): Promise<Child> {
  const child = await spawned(ask);
  const pid = child.pid as number;
  const [stdin, stdout, stderr, fd3] = child.stdio as unknown as [
    NodeJS.WritableStream,
    Readable,
    Readable,
    Readable,
  ];
  stdin.on('error', () => {}); // EPIPE: its exit says it all
  const tail: string[] = [];
  pumpLines(stdout, (line) => ask.onLine('stdout', line));
  pumpLines(stderr, (line) => {
    tail.push(line.slice(0, TAIL_LINE_LENGTH));
    if (tail.length > TAIL_LINES) tail.shift();
    ask.onLine('stderr', line);
  });
  const readyLine = readReadyLine(fd3);
  readyLine.catch(() => {}); // who starts the child awaits it; a kill before that is no error
  let alive = true;
  const exited = new Promise<RawExit>((resolve) => {
    child.once('exit', (code, signalName) => {
      alive = false;
      const drained = Promise.race([ended(stderr), pause(DRAIN_MS)]);
      killGroup(pid);
      void Promise.all([drained, sweep(`${MARK_SERVER}=${ask.env[MARK_SERVER]}`)]).then(() => {
        for (const stream of [stdin, stdout, stderr, fd3]) (stream as Readable).destroy();
        resolve({ code, signal: signalName, stderr_tail: ask.mask(tail.join('\n')) });
      });
    });
  });
  return {
    pid,
    tell: (line) => void stdin.write(`${line}\n`),
    readyLine,
    exited,
    alive: () => alive,
    term: () => alive && signal(pid, 'SIGTERM'),
    kill: () => alive && killGroup(pid),
  };
}

/** spawn() reports some failures by throwing and some by an event; both become one named error. */
function spawned({ command, args, env }: ChildAsk): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(
        new AppError('start_spawn_failed', `could not start ${command}: ${error.code ?? error}`, {
          cause: error,
        }),
      );
    try {
      const child = spawn(command, [...args], {
        detached: true, // its own session and process group: killed as one
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        env,
        cwd: '/',
      });
      child.once('spawn', () => resolve(child));
      child.on('error', fail);
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  });
}

const ended = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) resolve();
    stream.once('close', resolve);
  });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

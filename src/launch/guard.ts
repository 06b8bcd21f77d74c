// The guard: a tiny process that outlives main by a second to kill what main has left behind. It lives as long
// as somebody holds it, is started beside the first role server and costs that one nothing: a shell, no Node.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Log } from '../domain/ports.ts';
import { MARK_INSTANCE } from '../wire/protocol.ts';
import { GUARD_NODE, GUARD_SH } from './guard-script.ts';
import { parseStat } from './sweep.ts';

export type GuardDeps = { instance: string; env: { PATH?: string | undefined }; log: Log };
export type Guard = {
  /** Something that must not outlive main exists until the answer is called (once or more). Never waits. */
  hold(): () => void;
  pid(): number | null;
  /** Ends the guard in peace; resolves when it has gone. */
  close(): Promise<void>;
};

/** A guard that dies is replaced after this; longer would leave its charges alone. */
const RESPAWN_MS = 100;
/** A guard that does not leave when told so is killed. */
const LEAVE_MS = 1_000;

export function createGuard({ instance, env, log }: GuardDeps): Guard {
  let holders = 0;
  let current: ChildProcess | null = null;
  let closed = false;
  let respawn: NodeJS.Timeout | undefined;

  function start(): void {
    if (current !== null || closed || holders === 0) return;
    const guard = spawnGuard(instance, env.PATH);
    current = guard;
    guard.stdin?.on('error', () => {});
    guard.on('error', (error) => {
      log.warn({ error: String(error) }, 'the guard could not be started');
      lost(guard);
    });
    guard.once('exit', (code, signal) => {
      if (current === guard) log.warn({ code, signal }, 'the guard has gone; starting another');
      lost(guard);
    });
  }
  function lost(guard: ChildProcess): void {
    if (current !== guard) return;
    current = null;
    clearTimeout(respawn);
    respawn = setTimeout(start, RESPAWN_MS);
  }
  function leave(): Promise<void> {
    const guard = current;
    current = null;
    clearTimeout(respawn);
    if (guard === null || guard.exitCode !== null || guard.signalCode !== null)
      return Promise.resolve();
    return new Promise((resolve) => {
      const late = setTimeout(() => guard.kill('SIGKILL'), LEAVE_MS);
      guard.once('exit', () => {
        clearTimeout(late);
        resolve();
      });
      guard.stdin?.end('q\n');
    });
  }

  return {
    hold() {
      holders += 1;
      start();
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holders -= 1;
        if (holders === 0) void leave();
      };
    },
    pid: () => current?.pid ?? null,
    close() {
      closed = true;
      return leave();
    },
  };
}

function spawnGuard(instance: string, path = '/usr/bin:/bin'): ChildProcess {
  const marker = `${MARK_INSTANCE}=${instance}`;
  const shell = existsSync('/bin/sh') && path.split(':').some((dir) => existsSync(`${dir}/grep`));
  const [command, args] = shell
    ? ['/bin/sh', ['-c', GUARD_SH, 'troupe-guard', marker, mainGroup()]]
    : [process.execPath, ['-e', GUARD_NODE, marker, mainGroup()]];
  // Its own session: a signal to main's group or terminal does not reach it. It carries no marker itself.
  return spawn(command, args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: path },
    cwd: '/',
  });
}

function mainGroup(): string {
  try {
    return String(parseStat(readFileSync('/proc/self/stat', 'latin1')).group);
  } catch {
    return '0'; // no /proc: the guard will find nothing anyway
  }
}

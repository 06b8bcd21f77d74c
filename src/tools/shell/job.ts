// One command in its own process group: started, drained, stopped. Its handles are released in one place.
// Never waits for a pipe that a background process still holds, never leaves a stopped command half alive.
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ToolContext } from '../../domain/tool.ts';
import { createKept, removeKept } from '../files/keep.ts';
import { commandEnvironment, type Environment } from './environment.ts';
import { createOutput, type Output } from './output.ts';
import { findStragglers, type Mark, type Straggler, signal, sweep } from './stragglers.ts';

/** The marker of a run; whoever sweeps a run looks for it. */
export const RUN_MARK = 'TROUPE_RUN';
const CALL_MARK = 'TROUPE_CALL';
/** After exit the last output may still be on its way; a background process may hold the pipe for ever. */
const DRAIN_MS = 200;
/** Between TERM and KILL: time to clean up, short enough for a cancel. */
export const GRACE_MS = 500;
const LOG_LIMIT = 64 * 1024 * 1024;

export type Exit = { code: number | null; signal: string | null; error: string | null };
export type Job = {
  pid: number;
  /** Name of the log file as the agent may read it. */
  log: string;
  output: Output;
  started: number;
  /** Resolves when the command itself has ended and its last output is in. */
  exit: Promise<Exit>;
  /** Adds a line to its log; without effect once it is released. */
  note(line: string): void;
  /** What it has left running. */
  stragglers(): Straggler[];
  /** TERM, KILL, then everything that carries its marker. Resolves when all of it is gone. */
  stop(): Promise<void>;
  /** Closes pipes and log; `keep_log` false removes the file. Once. */
  release(keep_log: boolean): Promise<void>;
};

async function stopGroup(pid: number, mark: Mark): Promise<void> {
  if (mark.session !== undefined && signal(-pid, 'SIGTERM')) {
    const deadline = performance.now() + GRACE_MS;
    // Zombies keep a group alive for the kernel, so the members are looked at, not the group.
    while (findStragglers(mark).length > 0 && performance.now() < deadline) await pause(20);
    signal(-pid, 'SIGKILL');
  }
  await sweep(mark);
}

/** Resolves on exit plus the drain, or when the command could not be started. */
function exitOf(child: ChildProcess, drained: Promise<unknown>): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (e) => resolve({ code: null, signal: null, error: e.message }));
    child.once('exit', (code, name) => {
      const limit = pause(DRAIN_MS);
      void Promise.race([drained, limit]).then(() => resolve({ code, signal: name, error: null }));
    });
  });
}

function drain(child: ChildProcess, output: Output): Promise<unknown> {
  const ends = [child.stdout, child.stderr].map((stream) => {
    const sink = output.stream();
    stream?.on('data', (chunk: Buffer) => sink.push(chunk));
    return new Promise<void>((resolve) => {
      stream?.once('close', () => {
        sink.flush();
        resolve();
      });
    });
  });
  return Promise.all(ends);
}

export async function startJob(
  command: string,
  ctx: ToolContext,
  own: Environment,
  limit: number,
): Promise<Job> {
  const { spawn } = await import('node:child_process');
  const kept = await createKept(ctx.workdir, ctx.call_id, 'log');
  const output = createOutput(limit, kept.handle.fd, LOG_LIMIT);
  const call = randomUUID();
  const markers = { ...ctx.markers, [RUN_MARK]: ctx.run_id, [CALL_MARK]: call };
  const child = spawn(existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', ['-c', command], {
    cwd: ctx.workdir,
    env: commandEnvironment(own, markers, ctx.workdir),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = exitOf(child, drain(child, output));
  const pid = child.pid ?? 0;
  let exited = false;
  child.once('exit', () => {
    exited = true;
  });
  // A process with our number after ours has exited: the number is in use again, the group is not ours.
  const mark = (): Mark => ({
    name: CALL_MARK,
    value: call,
    ...(exited && existsSync(`/proc/${pid}`) ? {} : { session: pid }),
  });
  return {
    pid,
    log: kept.rel,
    output,
    started: performance.now(),
    exit,
    note(line) {
      try {
        writeSync(kept.handle.fd, `\n${line}\n`);
      } catch {
        // closed, or the disk is full: whoever reads the log still sees what was printed
      }
    },
    stragglers: () => (pid === 0 ? [] : findStragglers(mark())),
    async stop() {
      if (pid === 0) return;
      await stopGroup(pid, mark());
      await exit;
    },
    async release(keep_log) {
      child.stdout?.destroy();
      child.stderr?.destroy();
      await kept.handle.close().catch(() => {});
      if (!keep_log) await removeKept(ctx.workdir, kept.rel);
    },
  };
}

// Role servers as processes of their own: spawn, lifeline, ready line; the spare that waits for a role.
// Never decides whether a server should exist: that is the supervisor's.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { newToken } from '../domain/ids.ts';
import type { Clock, Log } from '../domain/ports.ts';
import { lastWords } from '../domain/text.ts';
import { createRoleClient } from '../wire/parent-end.ts';
import { type Lifeline, WIRE_VERSION } from '../wire/protocol.ts';
import { type Child, startChild } from './child.ts';
import { childEnv, type Env } from './child-env.ts';
import { type ChildLog, createChildLog } from './child-log.ts';
import type { Guard } from './guard.ts';
import type { Launched, Launcher, RawExit, StartAsk } from './launcher.ts';
import { parseReadyLine } from './ready-line.ts';

export type ForkDeps = {
  /** Path of node, and of the built worker file. */
  command: string;
  worker_file: string;
  /** Main's environment; children get what the allow-list names. */
  env: Env;
  instance: string;
  /** Address of main's internal listener. */
  main_url: () => string;
  log_dir: string;
  /** Bytes of a role's log file; one older file of that size is kept. */
  log_bytes: number;
  mask: (text: string) => string;
  guard: Guard;
  warm_spares: number;
  cancel_deadline_ms: number;
  clock: Clock;
  log: Log;
};

/** Hash of the worker that lies on the disk: a child must report the same, or it is of another build. */
export function buildOf(worker_file: string): string {
  const bundle = join(dirname(worker_file), 'worker.bundle.cjs');
  const file = existsSync(bundle) ? bundle : worker_file;
  if (!existsSync(file)) return 'none';
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
}

type Named = { child: Child; role: { name: string | null } };

export function createForkLauncher(deps: ForkDeps): Launcher {
  const build = buildOf(deps.worker_file);
  const logs = new Map<string, ChildLog>();
  const spares: Named[] = [];
  let closed = false;
  let lastTurn = Promise.resolve();

  /** A spawn stops main's loop for milliseconds: one a turn, so that requests are answered between two of them. */
  function spawnTurn(): Promise<void> {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return lastTurn;
  }
  function logOf(role: string): ChildLog {
    const known = logs.get(role);
    if (known) return known;
    const made = createChildLog({
      file: join(deps.log_dir, `${role}.log`),
      max_bytes: deps.log_bytes,
      mask: deps.mask,
      now: deps.clock.now,
    });
    logs.set(role, made);
    return made;
  }

  /** A process that has loaded the worker and waits for its lifeline. */
  async function launch(name: string | null): Promise<Named> {
    const free = deps.guard.hold();
    const role = { name };
    let pid = 0;
    try {
      await spawnTurn();
      const child = await startChild({
        command: deps.command,
        args: [deps.worker_file],
        env: childEnv(deps.env, { instance: deps.instance, server: newToken().slice(0, 32) }),
        mask: deps.mask,
        onLine: (source, line) => logOf(role.name ?? 'spare').add(`${pid} ${source}`, line),
      });
      pid = child.pid;
      void child.exited.then(free);
      return { child, role };
    } catch (error) {
      free();
      throw error;
    }
  }
  function takeSpare(name: string): Named | null {
    const spare = spares.find(({ child }) => child.alive());
    spares.splice(0, spares.length, ...spares.filter((one) => one !== spare && one.child.alive()));
    if (spare) spare.role.name = name;
    return spare ?? null;
  }
  async function refill(): Promise<void> {
    if (closed || spares.filter(({ child }) => child.alive()).length >= deps.warm_spares) return;
    const spare = await launch(null);
    spares.push(spare);
    if (closed) spare.child.kill();
  }

  return {
    build,
    async start(ask, signal, onSpawn) {
      signal.throwIfAborted();
      const { child } = takeSpare(ask.role.name) ?? (await launch(ask.role.name));
      try {
        onSpawn(child.pid);
        child.tell(JSON.stringify(lifeline(deps, ask)));
        const line = await firstOf(child, signal);
        const { port } = parseReadyLine(line, ask.nonce, child.pid);
        refill().catch((error) => deps.log.warn({ error: String(error) }, 'no spare worker'));
        return launched(deps, ask, child, port);
      } catch (error) {
        child.kill();
        await child.exited;
        throw error;
      }
    },
    log: (role, lines) => logOf(role).tail(lines),
    async close() {
      closed = true;
      for (const { child } of spares) child.kill();
      await Promise.all(spares.map(({ child }) => child.exited));
      await deps.guard.close();
    },
  };
}

const lifeline = (deps: ForkDeps, { role, server_id, nonce, server_token, port }: StartAsk) =>
  ({
    v: WIRE_VERSION,
    instance: deps.instance,
    role: role.name,
    server_id,
    nonce,
    server_token,
    main_url: deps.main_url(),
    bind: { host: role.host, port },
    limits: {
      max_concurrent_runs: role.max_concurrent_runs,
      cancel_deadline_ms: deps.cancel_deadline_ms,
    },
  }) satisfies Lifeline;

/** The ready line, unless the child or the caller's patience ends first. */
function firstOf(child: Child, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.readyLine.then(resolve, reject);
    void child.exited.then((exit) => reject(startExited(exit)));
  });
}

export const startExited = (exit: RawExit): AppError => {
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const said = exit.stderr_tail === '' ? '' : `; it said: ${lastWords(exit.stderr_tail)}`;
  return new AppError('start_exited', `it ended before it was ready (${how})${said}`, {
    data: { ...exit },
  });
};

function launched(deps: ForkDeps, { role, server_token }: StartAsk, child: Child, port: number) {
  const endpoint = `http://${reachable(role.host)}:${port}`;
  const client = createRoleClient({
    endpoint,
    server_token,
    cancel_deadline_ms: deps.cancel_deadline_ms,
  });
  void child.exited.then(() => client.close());
  const kill = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  return {
    pid: child.pid,
    port,
    endpoint,
    proves: true,
    client,
    alive: child.alive,
    exited: child.exited,
    async stop(grace_ms, leave_ms) {
      // A child that cannot take the call may still take the signal; one that takes neither is killed.
      client.shutdown(leave_ms).catch(() => child.term());
      const late = setTimeout(() => child.kill(), grace_ms);
      await child.exited;
      clearTimeout(late);
    },
    kill,
  } satisfies Launched;
}

/** An address that main can connect to: a child bound to every address is reached over loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

// A role server: waits for its lifeline, listens, proves itself, runs what main sends, and ends with main.
// Loads the loop and the tools for the first run, not before: somebody waits for this start.
import { closeSync, readFileSync, writeSync } from 'node:fs';
import { Agent } from 'node:http';
import { type Log, systemClock } from '../domain/ports.ts';
import { backOff } from '../resilience/back-off.ts';
import { createChildServer, type Runner } from '../wire/child-end.ts';
import { readLifeline } from '../wire/lifeline.ts';
import {
  type Lifeline,
  MARK_INSTANCE,
  MARK_SERVER,
  proof,
  type ReadyLine,
  WIRE_VERSION,
} from '../wire/protocol.ts';
import { createRemoteHost } from '../wire/remote-host.ts';

/** Hash of the bundle that runs, given by the loader beside it. */
declare const TROUPE_BUILD: string | undefined;

const PAUSE = { base_ms: 50, factor: 2, max_ms: 2_000 };
/** Main is gone: tool commands get this long to be killed, then the whole group goes. */
const LAST_WORDS_MS = 500;
const DRAIN_LOOK_MS = 50;

const log: Log = {
  debug: () => {},
  info: (fields, message) => say('info', fields, message),
  warn: (fields, message) => say('warn', fields, message),
  error: (fields, message) => say('error', fields, message),
};
function say(level: string, fields: object, message: string): void {
  process.stderr.write(`${JSON.stringify({ level, message, ...fields })}\n`);
}

async function main(): Promise<void> {
  const lifeline = readLifeline(process.stdin);
  const life = await lifeline.first;
  if (life === null) process.exit(0);
  const server = createChildServer({
    role: life.role,
    build: typeof TROUPE_BUILD === 'string' ? TROUPE_BUILD : 'source',
    nonce: life.nonce,
    server_token: life.server_token,
    loadRunner: () => loadRunner(life, lifeline.ended),
    onShutdown: drain,
    log,
  });

  function drain(leave_ms: number | null): void {
    if (leave_ms !== null)
      void (server.runner()?.close(leave_ms) ?? Promise.resolve()).finally(() => process.exit(0));
    setInterval(() => {
      if ((server.runner()?.active() ?? 0) === 0) process.exit(0);
    }, DRAIN_LOOK_MS);
  }
  process.on('SIGTERM', () => drain(null));
  // Signals for a terminal's foreground are main's business.
  for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  lifeline.ended.addEventListener('abort', () => void endWithMain(server.runner()), { once: true });

  const port = await server.listen(life.bind);
  announce(life, port);
}

async function loadRunner(life: Lifeline, ended: AbortSignal): Promise<Runner> {
  const [{ createRunner }, { roleTools }] = await Promise.all([
    import('../agent/runner.ts'),
    import('../tools/index.ts'),
  ]);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const runner: Runner = createRunner({
    tools: roleTools(process.env),
    hostFor: ({ run_id, run_token }) =>
      createRemoteHost({
        main_url: life.main_url,
        run_token,
        agent,
        lifeline: ended,
        pause: (attempt) => backOff(attempt, PAUSE, Math.random()),
        onFenced: (why) => void runner.cancel(run_id, why).catch(() => {}),
        log,
      }),
    markers: markers(),
    cancelDeadlineMs: life.limits.cancel_deadline_ms,
    log,
    clock: systemClock,
  });
  return runner;
}

/** What everything that this process starts must carry, so that nothing is lost. */
function markers(): Record<string, string> {
  const own: Record<string, string> = {};
  for (const name of [MARK_INSTANCE, MARK_SERVER]) {
    const value = process.env[name];
    if (value) own[name] = value;
  }
  return own;
}

function announce(life: Lifeline, port: number): void {
  const ready: ReadyLine = {
    v: WIRE_VERSION,
    port,
    pid: process.pid,
    nonce_proof: proof(life.nonce, `ready:${process.pid}:${port}`),
  };
  writeSync(3, `${JSON.stringify(ready)}\n`);
  closeSync(3);
}

/** Kills the tool commands and everything else in its own group, itself last. */
async function endWithMain(runner: Runner | null): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_WORDS_MS));
  await Promise.race([runner?.close().catch(() => {}), late]);
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    // Only a group that is its own: started by hand it may sit in a shell's.
    if (group === process.pid) process.kill(-group, 'SIGKILL');
  } catch {
    // no /proc: its group is not known to be its own
  }
  process.exit(0);
}

main().catch((error: unknown) => {
  say('error', { error: String(error) }, 'the role server could not start');
  process.exit(1);
});

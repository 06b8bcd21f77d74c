// A role "server" inside main: the same interface, no process. For the topologies `single` and `hybrid`.
import { AppError } from '../domain/errors.ts';
import type { Runner } from '../wire/child-end.ts';
import type { RoleConnection } from '../wire/parent-end.ts';
import { proof } from '../wire/protocol.ts';
import type { Guard } from './guard.ts';
import type { Launcher, RawExit } from './launcher.ts';

export type InprocDeps = {
  build: string;
  /** Loads the loop and the tools on the first start. */
  createRunner: (role: string) => Promise<Runner>;
  /** Tool commands of these roles are children of main. */
  guard: Guard;
};
const POLL_MS = 50;

export function createInprocLauncher(deps: InprocDeps): Launcher {
  return {
    build: deps.build,
    async start({ role, nonce }, signal) {
      const runner = await deps.createRunner(role.name);
      signal.throwIfAborted();
      const free = deps.guard.hold();
      let gone = false;
      let leave: (exit: RawExit) => void = () => {};
      const exited = new Promise<RawExit>((resolve) => {
        leave = resolve;
      });
      const end = async (code: number | null, how: string | null, leave_ms = 0): Promise<void> => {
        if (gone) {
          await exited;
          return;
        }
        gone = true;
        await runner.close(leave_ms).catch(() => {});
        free();
        leave({ code, signal: how, stderr_tail: '' });
      };
      return {
        pid: null,
        port: null,
        endpoint: `inproc:${role.name}`,
        proves: true,
        client: connect(runner, role.name, deps.build, nonce, () => gone),
        alive: () => !gone,
        exited,
        async stop(grace_ms, leave_ms) {
          if (leave_ms !== null) return end(0, null, leave_ms);
          const until = performance.now() + grace_ms;
          while (runner.active() > 0 && performance.now() < until)
            await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          await end(0, null);
        },
        kill: () => end(null, 'SIGKILL'),
      };
    },
    log: async () => [], // it writes to main's own log
    close: () => deps.guard.close(),
  };
}

function connect(
  runner: Runner,
  role: string,
  build: string,
  nonce: string,
  gone: () => boolean,
): RoleConnection {
  const here = (): Runner => {
    if (gone()) throw new AppError('server_unreachable', `the ${role} role has been stopped`);
    return runner;
  };
  return {
    start: async (envelope) => here().start(envelope),
    cancel: async (run_id, reason) => here().cancel(run_id, reason),
    steer: async (run_id, text) => here().steer(run_id, text),
    health: async (challenge) => ({
      role,
      pid: process.pid,
      build,
      nonce_proof: proof(nonce, `health:${challenge}`),
      active_runs: here().active(),
      rss: 0,
    }),
    shutdown: async () => {},
    close: () => {},
  };
}

// A role server that someone else runs: asked whether it is there, used, never started or stopped. Its runs are
// driven from here by polling, and their outcomes go the same road as those of our own servers.
import { AppError } from '../domain/errors.ts';
import type { Envelope, RunHost } from '../domain/run.ts';
import { createProtocolClient } from '../wire/protocol-client.ts';
import type { Launcher, RawExit } from './launcher.ts';
import { driveRun, type RemoteRun } from './remote-run.ts';

export type RemoteDeps = {
  /** The host through which a run's outcome reaches main. */
  hostFor: (envelope: Envelope) => RunHost;
  /** Between two looks at a run. */
  poll_ms: number;
};

export function createRemoteLauncher(deps: RemoteDeps): Launcher {
  return {
    build: 'remote',
    async start({ role }, signal) {
      const url = role.url ?? '';
      const api = createProtocolClient(url, role.headers);
      const check = async (): Promise<void> => void (await api.call('GET', '/ok'));
      await beforeAbort(check(), signal);
      const runs = new Map<string, RemoteRun>();
      let leave: (exit: RawExit) => void = () => {};
      const exited = new Promise<RawExit>((resolve) => {
        leave = resolve;
      });
      const detach = async (): Promise<void> => {
        for (const run of runs.values()) run.detach();
        leave({ code: 0, signal: null, stderr_tail: '' });
      };
      return {
        pid: null,
        port: null,
        endpoint: url,
        proves: false,
        alive: () => true,
        exited,
        stop: detach,
        kill: detach,
        client: {
          async start(envelope) {
            if (runs.has(envelope.run_id)) return;
            const run = driveRun({
              api,
              envelope,
              graph_id: role.graph_id,
              host: deps.hostFor(envelope),
              poll_ms: deps.poll_ms,
            });
            runs.set(envelope.run_id, run);
            void run.ended.then(() => runs.delete(envelope.run_id));
            // Resolves when the other side has taken the run; what comes later is in its outcome.
            await run.accepted;
          },
          cancel: async (run_id) => runs.get(run_id)?.cancel(),
          steer: async () => 'missed',
          async health() {
            await check();
            return {
              role: role.name,
              pid: 0,
              build: '',
              nonce_proof: '',
              active_runs: runs.size,
              rss: 0,
            };
          },
          shutdown: async () => {},
          close: () => {},
        },
      };
    },
    log: async () => [],
    close: async () => {},
  };
}

function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(signal.reason ?? new AppError('start_timeout', 'it did not answer in time'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// Looks after runs that are alive but show no progress: blocked after a while, and at the deadline the policy acts.
// A slow model call or a long command gives signs of life; a run that waits for children or a person is left alone.
import { AppError, type Failure, toFailure } from '../domain/errors.ts';
import type { Clock, Log, Store, Tx } from '../domain/ports.ts';
import { type AlternateOf, pickAlternate } from './alternate.ts';
import type { Insist } from './insist.ts';
import { type Concluded, conclude, move } from './lifecycle.ts';
import type { Live, LiveRun } from './live.ts';
import type { Stop } from './stop.ts';

export type WatchDeps = {
  store: Store;
  live: Live;
  stop: Stop;
  alternateOf: AlternateOf;
  insist: Insist;
  clock: Clock;
  log: Log;
  limits: { blocked_after_ms: number; blocked_deadline_ms: number };
  ended(run: { agent_id: string; task_id: string; query_id: string }): void;
};

const TICK_MS = 1_000;
/** A tick this late means that main itself stood still: nobody's silence counts for that time. */
const LATE_MS = 3_000;

export function createWatch(deps: WatchDeps) {
  const { store, live, stop, alternateOf, insist, clock, log, limits, ended } = deps;
  let before = clock.mono();

  /** Writes a move that the watch has decided; the run may have gone on meanwhile, and then nothing is written. */
  const shift = (
    run: LiveRun,
    from: 'running' | 'blocked',
    to: 'running' | 'blocked',
    detail: string,
  ) =>
    store
      .tx(async (t) => {
        const agent = await t.subagents.get(run.agent_id);
        if (agent?.state === from && agent.run_id === run.run_id)
          await move(t, agent, to, { detail });
      })
      .catch((error: unknown) =>
        log.warn({ err: error, agent_id: run.agent_id }, 'state not moved'),
      );

  async function giveUp(run: LiveRun, silent_s: number): Promise<void> {
    const why = `no sign of progress for ${silent_s} s (phase: ${run.activity})`;
    await stop.halt(run.task_id, why);
    const failure: Failure = toFailure(new AppError('blocked', why));
    const write = async (t: Tx): Promise<Concluded> => {
      const agent = await t.subagents.get(run.agent_id);
      // An update that came meanwhile has given it another run: that one is not blocked.
      if (!agent || agent.run_id !== run.run_id) return 'late';
      // A blocked original is cancelled first when another role takes over; else the task fails.
      const to = (await pickAlternate(t, agent, failure, alternateOf)) ? 'cancelled' : 'failed';
      const outcome = { text: run.last_words?.text || null, error: failure, detail: why };
      return conclude(t, agent.agent_id, to, outcome, alternateOf);
    };
    await insist(write, (how) => how !== 'late' && ended(run));
  }

  function look(run: LiveRun, now: number): void {
    if (!run.server || run.stopping) return;
    // Waiting is no silence; one that asked just after it had been blocked has gone on, though.
    if (run.waiting && run.blocked_since === null) return;
    const silent = now - run.last_progress;
    if (run.blocked_since === null) {
      if (silent < limits.blocked_after_ms) return;
      run.blocked_since = now;
      const seconds = Math.round(silent / 1000);
      void shift(
        run,
        'running',
        'blocked',
        `no sign of progress for ${seconds} s (phase: ${run.activity})`,
      );
    } else if (run.last_progress > run.blocked_since) {
      run.blocked_since = null;
      void shift(run, 'blocked', 'running', 'there is progress again');
    } else if (!run.waiting && now - run.blocked_since >= limits.blocked_deadline_ms) {
      giveUp(run, Math.round(silent / 1000)).catch((error: unknown) =>
        log.error({ err: error, agent_id: run.agent_id }, 'a blocked run could not be given up'),
      );
    }
  }

  const timer = setInterval(() => {
    const now = clock.mono();
    const late = now - before - TICK_MS;
    before = now;
    for (const run of live.all()) {
      if (late > LATE_MS) run.last_progress += late;
      look(run, now);
    }
  }, TICK_MS);
  timer.unref();

  return { close: (): void => clearInterval(timer) };
}

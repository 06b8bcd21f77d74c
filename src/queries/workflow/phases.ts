// Checks a phase of test-driven work: the runtime runs the tests, judges, and keeps the receipt. One run per call,
// however often it is asked for; a check that a crash broke off is made again.

import type { Clock, Store } from '../../domain/ports.ts';
import { tailOf } from '../../domain/text.ts';
import type { PhaseAnswer, PhaseAsk } from '../../domain/workflow-gate.ts';
import { judge, type Receipt, refusePhase } from '../../workflows/tdd-cycle.ts';
import { keepReceipt, receiptByCall, receiptsOf } from './receipts.ts';
import { testCommand } from './test-command.ts';
import { coverageSince, hashTests } from './test-files.ts';

export type PhaseDeps = {
  store: Store;
  clock: Clock;
  /** Runs a command in the workdir as an agent's shell would. `exit_code` null: it was stopped or refused. */
  run(
    workdir: string,
    command: string,
    signal: AbortSignal,
  ): Promise<{ exit_code: number | null; output: string }>;
};

/** Bytes of the output that are kept in a receipt. */
const KEPT = 4_000;
export function createPhases({ store, clock, run }: PhaseDeps) {
  const running = new Map<string, Promise<PhaseAnswer>>();
  const closing = new AbortController();

  const answerOf = ({ phase, verdict, reason, command, output }: Receipt): PhaseAnswer => ({
    ok: true,
    state: 'checked',
    passed: verdict === 'PASS',
    text: `${phase}: ${verdict}. ${reason}.\nThe runtime ran: ${command}\n${output}`,
  });

  async function check({ query, task_id, run_id, call_id, phase }: PhaseAsk): Promise<PhaseAnswer> {
    const { query_id, workdir } = query;
    const before = await receiptByCall(store.reads, query_id, run_id, call_id);
    if (before) return answerOf(before);
    const receipts = await receiptsOf(store.reads, query_id, task_id);
    const refused = refusePhase(phase, receipts);
    if (refused) return { ok: false, message: refused };
    const found = await testCommand(workdir);
    if (!found)
      return {
        ok: false,
        message: 'action required: nothing says how tests are run; start TestPrepare',
      };
    const begun = { mono: clock.mono(), wall: clock.now() };
    const ran = await run(workdir, found.command, closing.signal);
    closing.signal.throwIfAborted();
    const seen = {
      exit_code: ran.exit_code,
      output: tailOf(ran.output, KEPT),
      hashes: await hashTests(workdir),
      coverage: await coverageSince(workdir, begun.wall.getTime()),
    };
    const receipt: Receipt = {
      phase,
      ...judge(phase, seen, receipts),
      command: found.command,
      ...seen,
      duration_ms: Math.round(clock.mono() - begun.mono),
      at: begun.wall.toISOString(),
    };
    await keepReceipt(store, query_id, task_id, { run_id, call_id }, receipt);
    return answerOf(receipt);
  }

  return {
    /** Waits at most `wait_ms`; `running`: ask again with the same call. */
    async check(ask: PhaseAsk, wait_ms: number): Promise<PhaseAnswer> {
      const key = `${ask.run_id} ${ask.call_id}`;
      let work = running.get(key);
      if (!work) {
        work = check(ask).finally(() => running.delete(key));
        running.set(key, work);
        work.catch(() => {});
      }
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<PhaseAnswer>((resolve) => {
        timer = setTimeout(resolve, wait_ms, { ok: true, state: 'running' });
      });
      return Promise.race([work, late]).finally(() => clearTimeout(timer));
    },
    /** Stops the commands that are at work. */
    async close(): Promise<void> {
      closing.abort(new Error('the server is stopping'));
      await Promise.allSettled(running.values());
    },
  };
}

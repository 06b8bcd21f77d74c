// The workflows of queries, as the rest of main sees them: what may start, what is ticked, what is left, how a turn ends.
// The rules are in workflows/; here they meet documents, tasks and the user's words.
import type { Failure } from '../../domain/errors.ts';
import type { Log, Store } from '../../domain/ports.ts';
import type { Query } from '../../domain/query.ts';
import type { Admission, AdmitAsk } from '../../domain/workflow-gate.ts';
import { nextStage, pausedBy } from '../../workflows/strict-spec.ts';
import { summaryOf } from '../../workflows/tdd-cycle.ts';
import { codersOf } from './coders.ts';
import { changesIn, readChange } from './documents.ts';
import { choiceOf, failureOf, featureOf, specFacts, toldBy } from './facts.ts';
import { notesOf, noteWorkflow, openedOf } from './log.ts';
import { admitPlan } from './plan-rules.ts';
import { receiptsOf } from './receipts.ts';
import { admitSpec } from './spec-rules.ts';
import { admitTesters } from './tdd-rules.ts';
import { setTicks, ticksNow } from './ticks.ts';

export type WorkflowDeps = { store: Store; log: Log };

/** What is left of a workflow; null: nothing. `paused`: it waits for the user. */
export type Left = { paused: boolean; text: string };

export function createWorkflows({ store, log }: WorkflowDeps) {
  const { reads } = store;

  async function leftOf(query: Query): Promise<Left | null> {
    const tasks = await reads.tasks.ofQuery(query.query_id);
    if (query.options.workflow === 'strict-spec') {
      const feature = await featureOf(query, tasks, null);
      if (!feature) return null;
      const facts = await specFacts(store, query, feature);
      const paused = pausedBy(facts);
      if (paused) return { paused: true, text: paused };
      const next = nextStage(facts);
      return next && { paused: false, text: `stage "${next.stage}" is not done: ${next.why}` };
    }
    if (query.options.workflow !== 'strict-plan') return null;
    const told = await toldBy(store, query.query_id);
    const coders = codersOf(tasks);
    const failed = failureOf(tasks, coders, told.since);
    const paused = pausedBy({ failed });
    if (paused) return { paused: true, text: paused };
    const change = coders.at(-1)?.dispatch.change;
    if (!change || choiceOf(told) === 'later') return null;
    const open = (await readChange(query.workdir, change)).boxes.filter((b) => !b.ticked);
    const numbers = open.map((b) => b.number).join(', ');
    return open.length === 0
      ? null
      : { paused: false, text: `tasks of ${change} are open: ${numbers}` };
  }

  /** Changes whose tasks are not all done. */
  async function unfinished(workdir: string): Promise<string[]> {
    const found: string[] = [];
    for (const id of await changesIn(workdir)) {
      const { boxes } = await readChange(workdir, id);
      const done = boxes.filter((b) => b.ticked).length;
      if (done < boxes.length) found.push(`${id} (${done} of ${boxes.length} tasks done)`);
    }
    return found;
  }

  return {
    /** Whether the workflow of the query lets this start happen, and with which words. */
    async admit(ask: AdmitAsk): Promise<Admission> {
      const { query, by_main } = ask;
      const { workflow } = query.options;
      if (ask.parent === 'TDD') return admitTesters(store, ask);
      if (!by_main || !workflow) return { ok: true, description: ask.description };
      await setTicks(store, query);
      return workflow === 'strict-spec' ? admitSpec(store, ask) : admitPlan(store, ask);
    },

    /** To be called before each turn: keeps how the workdir was found, and repairs ticks that a crash left behind. */
    async begin(query: Query): Promise<void> {
      if (!query.options.workflow) return;
      if (!(await openedOf(reads, query.query_id)))
        await noteWorkflow(store, query.query_id, {
          state: 'opened',
          detail: `workflow ${query.options.workflow}`,
          data: {
            workflow: query.options.workflow,
            ticked: await ticksNow(query.workdir),
            unfinished: await unfinished(query.workdir),
          },
        });
      await setTicks(store, query);
    },

    /** What the main agent is told of the state of things when a turn begins. */
    async brief(query: Query): Promise<string> {
      if (!query.options.workflow) return '';
      const left = await leftOf(query);
      const lines = left ? [`Left from before: ${left.text}`] : [];
      if (query.options.workflow === 'strict-plan') {
        const open = await unfinished(query.workdir);
        if (open.length > 0) lines.push(`Unfinished proposals: ${open.join(', ')}`);
      }
      return lines.map((line) => `- ${line}`).join('\n');
    },

    /** After something has ended. Never fails: a tick that is late is set the next time. */
    async settle(query: Query): Promise<void> {
      if (!query.options.workflow) return;
      await setTicks(store, query).catch((err: unknown) =>
        log.warn({ err, query_id: query.query_id }, 'boxes were not ticked'),
      );
    },

    leftOf,

    /** How a workflow has gone, for people; null: the query has none. */
    async report(query: Query) {
      const { workflow } = query.options;
      if (!workflow) return null;
      const log = await notesOf(reads, query.query_id);
      const stages = log.filter((e) => e.state === 'stage_started');
      const led = new Set(log.filter((e) => e.state === 'tests_ran').map((e) => e.task_id));
      const cycles = [...led].map(async (task_id) => ({
        tdd_id: task_id ?? query.query_id,
        ...summaryOf(await receiptsOf(reads, query.query_id, task_id)),
      }));
      return {
        name: workflow,
        started: stages.map(({ data, at }) => ({ ...data, at })),
        tdd: await Promise.all(cycles),
        left: await leftOf(query),
      };
    },

    /** What a turn that ends with an answer has not reached, kept as an event; null: nothing is missing. */
    async verdict(query: Query): Promise<Failure | null> {
      if (!query.options.workflow) return null;
      await setTicks(store, query);
      const left = await leftOf(query);
      if (!left) return null;
      await noteWorkflow(store, query.query_id, {
        state: left.paused ? 'paused' : 'unfinished',
        detail: left.text,
        data: { reason: left.text },
      });
      const message = left.paused ? `paused: ${left.text}` : left.text;
      return { code: 'stage_failed', message, reasons: [left.text] };
    },
  };
}
export type Workflows = ReturnType<typeof createWorkflows>;

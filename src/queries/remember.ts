// The end of a turn that made files: the role `remember` is asked once what of it is worth keeping, and a person decides
// on what it proposes. With `review: "wait"` the final answer is held for that, with "defer" it is not. All of it stands
// in rows: whoever dies in between, the next start goes on where it was and asks nobody twice.
import type { Middleware, RunContext } from '../agent/middleware.ts';
import { AppError } from '../domain/errors.ts';
import type { RememberRound } from '../domain/memory-ports.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';
import { REMEMBER } from '../domain/proposal.ts';
import { isOpenQuery, type LoopRun, type Query } from '../domain/query.ts';
import type { Review } from '../domain/review.ts';
import { agentLabel } from '../domain/subagent.ts';
import { isAside, isOpenTask, type Task } from '../domain/task.ts';
import { oneLine } from '../domain/text.ts';
import type { Proposals } from '../memory/remember/index.ts';
import type { Proposed } from '../memory/remember/propose.ts';
import type { Reviews } from '../reviews/index.ts';
import { openReview } from '../reviews/rows.ts';
import type { Tasks } from '../tasks/index.ts';
import { madeSince } from './made-files.ts';
import * as words from './remember-words.ts';
import { totalUsage, usageOfTurns } from './tree.ts';

export type RememberDeps = {
  store: Store;
  tasks: Pick<Tasks, 'spawn' | 'wait' | 'cancel' | 'untilStored' | 'destroyEnded'>;
  reviews: Pick<Reviews, 'settled' | 'timeout_s'>;
  proposals: Proposals;
  max_depth: number;
  /** Of the main agent: without `remember` among them nothing is proposed. */
  may_start: readonly string[];
  log: Log;
};

/** For the task with its alternate, each with the time that its role has; longer, and nobody needs the proposals. */
const TASK_MS = 1_800_000;
/** A task that did not stop is told again after so long. */
const AGAIN_MS = 1_000;
/** One look at a review; it has a deadline of its own. */
const LOOK_MS = 60_000;
/** What nobody waits for can be decided for two weeks. */
const DEFERRED_S = 14 * 86_400;
/** File times come from a coarser clock: a file written just after a moment may be dated just before it. */
const COARSE_MS = 50;
const CONTEXT = 500;

export function createRemember(deps: RememberDeps) {
  const { store, tasks, reviews, proposals, max_depth, may_start, log } = deps;
  const { reads } = store;
  const following = new Map<string, Promise<void>>();
  const closing = new AbortController();

  /** The round of this turn, begun if it has to be; null when there is nothing to ask about. */
  async function roundFor(
    query: Query,
    loop: LoopRun,
    asked: string,
  ): Promise<RememberRound | null> {
    const { query_id, options, kind, workdir } = query;
    const { review } = options;
    if (kind !== 'agent' || review === 'off' || !may_start.includes(REMEMBER)) return null;
    const known = await reads.remember.round(loop.run_id);
    if (known) return known;
    const children = await reads.tasks.children(query_id, null);
    // With `background` a turn may end before its tasks have.
    if (children.some((task) => isOpenTask(task.status) && !isAside(task))) return null;
    const rounds = await reads.remember.ofQuery(query_id);
    const round = (task_id: string, created_at: string): RememberRound => ({
      ...{ run_id: loop.run_id, query_id, task_id, review, state: 'asked' as const },
      ...{ review_id: null, reason: null, created_at },
    });
    const taken = new Set(rounds.map(({ task_id }) => task_id));
    const own = children.findLast(
      ({ subagent_type, created_at, task_id }) =>
        subagent_type === REMEMBER && created_at >= loop.created_at && !taken.has(task_id),
    );
    if (own) {
      // The main agent has asked it already: its answer is the one that counts.
      await tasks.untilStored(() =>
        store.tx((t) => t.remember.insertRound(round(own.task_id, t.at))),
      );
      return reads.remember.round(loop.run_id);
    }
    const first = (await reads.loops.ofQuery(query_id))[0] ?? loop;
    const begun = new Date(Date.parse(first.created_at) - COARSE_MS).toISOString();
    const files = await madeSince(workdir, rounds.at(-1)?.created_at ?? begun);
    if (files.length === 0) return null;
    const at = { depth: 0, max_depth };
    await tasks.untilStored(() =>
      tasks.spawn({
        parent: { name: 'main', query, agent: null, at, may_start },
        subagent_type: REMEMBER,
        description: words.taskText(asked, files),
        call: null,
        async with(t, task) {
          await t.remember.insertRound(round(task.task_id, t.at));
          await t.tasks.patch(task.task_id, { delivered_at: t.at });
        },
      }),
    );
    return reads.remember.round(loop.run_id);
  }

  /** A turn does not fail because nobody could be asked what to remember. */
  async function begin(query: Query, loop: LoopRun, asked: string): Promise<RememberRound | null> {
    try {
      return await roundFor(query, loop, asked);
    } catch (error) {
      const small = error instanceof AppError && error.code !== 'shutting_down';
      if (!small) throw error;
      const { query_id } = query;
      log.warn({ err: error, query_id }, 'nobody was asked what to remember');
      const detail = oneLine(error.message);
      const state = 'memory_not_proposed';
      await tasks.untilStored(() =>
        store.tx((t) => t.events.append({ kind: 'notice', state, detail, query_id })),
      );
      return null;
    }
  }

  async function taskEnded({ task_id }: RememberRound, signal: AbortSignal): Promise<Task | null> {
    const deadline = performance.now() + TASK_MS;
    for (;;) {
      await tasks.wait(task_id, Math.max(AGAIN_MS, deadline - performance.now()), signal);
      signal.throwIfAborted();
      const task = await reads.tasks.get(task_id);
      if (!task || !isOpenTask(task.status)) return task;
      if (performance.now() >= deadline)
        await tasks.cancel(task_id, 'it took too long').catch((err: unknown) => {
          log.warn({ err, task_id }, 'the remember task did not stop');
        });
    }
  }

  async function open(t: Tx, round: RememberRound, query: Query, { proposals: items }: Proposed) {
    const agent = (await t.subagents.ofTask(round.task_id)).at(-1);
    const wait = round.review === 'wait' && isOpenQuery(query.status);
    const { review_id } = await openReview(t, {
      ...{ kind: 'memory', query_id: query.query_id, task_id: null, agent_id: null },
      role: REMEMBER,
      path: ['main agent', agentLabel(agent?.role ?? REMEMBER, agent?.ordinal ?? 1)],
      context: oneLine(query.input, CONTEXT),
      request: { items },
      ...{ blocking: wait, run_id: null, call_id: null },
      timeout_s: wait ? reviews.timeout_s : DEFERRED_S,
    });
    return review_id;
  }

  /** In one unit: the review, or why there is none; once for a round. */
  async function write(
    t: Tx,
    { run_id, query_id, task_id }: RememberRound,
    task: Task | null,
    made: Proposed | null,
  ): Promise<void> {
    const round = await t.remember.round(run_id);
    const query = await t.queries.get(query_id);
    if (!query || round?.state !== 'asked') return;
    const cutOff = query.status === 'cancelled' || query.status === 'failed';
    const count = made?.proposals.length ?? 0;
    const reason = cutOff
      ? `the query ended: ${query.status}`
      : made
        ? 'nothing was proposed'
        : `the task ${task?.status ?? 'is gone'}${task?.error ? `: ${task.error.message}` : ''}`;
    const review_id = made && count > 0 && !cutOff ? await open(t, round, query, made) : null;
    const state = review_id ? ('proposed' as const) : ('nothing' as const);
    await t.remember.settle(run_id, { state, review_id, reason: review_id ? null : reason });
    await t.events.append({
      kind: 'notice',
      state: review_id ? 'memory_proposed' : 'memory_not_proposed',
      detail: review_id ? `${count} proposed, ${made?.dropped.length} left out` : oneLine(reason),
      ...{ query_id, task_id, role: REMEMBER },
      data: { review_id, proposed: count, dropped: made?.dropped ?? [] },
    });
    if (isOpenQuery(query.status)) return;
    // The turn has ended before its proposals were made: what they cost belongs to it, and nothing of it is left.
    const loops = await t.loops.ofQuery(query_id);
    const usage = totalUsage(usageOfTurns(loops), await t.tasks.ofQuery(query_id));
    await t.queries.patch(query_id, { usage, updated_at: t.at });
    await tasks.destroyEnded(t, query_id);
  }

  async function settle(round: RememberRound, signal: AbortSignal): Promise<RememberRound | null> {
    if (round.state !== 'asked') return round;
    const task = await taskEnded(round, signal);
    const made =
      task?.status === 'completed'
        ? await proposals.made(round).catch((err: unknown) => {
            log.error({ err, task_id: round.task_id }, 'proposals could not be read');
            return null;
          })
        : null;
    await tasks.untilStored(() => store.tx((t) => write(t, round, task, made)));
    return reads.remember.round(round.run_id);
  }

  async function decided(review_id: string, signal: AbortSignal): Promise<Review> {
    for (;;) {
      const review = await reviews.settled(review_id, LOOK_MS, signal);
      signal.throwIfAborted();
      if (review.status !== 'pending') return review;
    }
  }

  /** What the main agent is told of the decision, or nothing when it has been told or there is none. */
  async function told(ctx: RunContext, query: Query, review: Review): Promise<'final' | string> {
    if (review.status !== 'decided') {
      const seconds = Math.round(
        (Date.parse(review.expires_at) - Date.parse(review.created_at)) / 1_000,
      );
      const late = review.status === 'expired';
      ctx.note(late ? words.undecidedText(query.input, seconds) : words.withdrawnText(query.input));
      return 'final';
    }
    const head = words.decisionHead(review.review_id);
    const known = ctx.messages.some(
      (m) => m.role === 'user' && m.kind === 'notice' && m.content.startsWith(head),
    );
    if (known) return 'final';
    const { approved, rejected } = await proposals.outcomeOf(review);
    return words.decisionText(review.review_id, approved, rejected);
  }

  function follow(round: RememberRound): void {
    const { run_id, query_id } = round;
    if (following.has(run_id) || closing.signal.aborted) return;
    const work = settle(round, closing.signal)
      .then(() => {})
      .catch((err: unknown) => {
        // The next start finds the round as it is.
        if (!closing.signal.aborted) log.error({ err, query_id }, 'proposals were not put up');
      })
      .finally(() => following.delete(run_id));
    following.set(run_id, work);
  }

  return {
    /** Stands last in the chain of the main agent: what it holds is the final text. */
    middleware(query: Query, loop: LoopRun): Middleware {
      let over = false;
      return {
        name: 'remember',
        async beforeFinal(ctx) {
          if (over) return 'final';
          if (query.options.review === 'wait') await ctx.checkpoint();
          const said = ctx.messages.findLast((m) => m.role === 'user' && m.kind !== 'notice');
          const begun = await begin(query, loop, said?.content ?? query.input);
          if (begun?.review === 'defer') follow(begun);
          if (begun?.review !== 'wait') {
            over = true;
            return 'final';
          }
          ctx.host.progress({ activity: 'waiting for what is proposed to be remembered' });
          const round = await settle(begun, ctx.signal);
          let text = 'final';
          if (round?.review_id) {
            ctx.host.progress({ activity: 'waiting for a person: what is to be remembered' });
            text = await told(ctx, query, await decided(round.review_id, ctx.signal));
          }
          over = true;
          return text === 'final' ? 'final' : [{ role: 'user', kind: 'notice', content: text }];
        },
      };
    },
    /** After a restart: rounds that no turn goes on with. */
    async recover(): Promise<void> {
      for (const round of await reads.remember.open()) {
        const query = await reads.queries.get(round.query_id);
        const turn = round.review === 'wait' && query && isOpenQuery(query.status);
        if (!turn) follow(round);
      }
    },
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(following.values());
    },
  };
}

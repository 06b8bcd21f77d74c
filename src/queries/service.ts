// Queries as the rest of main sees them: accepted durably, run a bounded number at a time, answered, cancelled.
// What happens inside a turn is turn.ts; this file only decides when a turn starts and what may be asked.
import { AppError } from '../domain/errors.ts';
import { uuidv7 } from '../domain/ids.ts';
import { DEFAULT_PROJECT } from '../domain/memory.ts';
import { noUsage } from '../domain/message.ts';
import type { Clock, Log, Page, PageAsk, Store, Tx } from '../domain/ports.ts';
import {
  isOpenQuery,
  type Query,
  type QueryKind,
  type QueryOptions,
  type QueryStatus,
} from '../domain/query.ts';
import type { SpendLimit } from '../domain/spend.ts';
import type { Tasks } from '../tasks/index.ts';
import { listFiles, readOne, zipOf } from './files.ts';
import type { Standing } from './standing.ts';
import { totalUsage, treeOf } from './tree.ts';
import type { Turns } from './turn.ts';
import type { Workspace } from './workspace.ts';

export type QueryDeps = {
  store: Store;
  tasks: Tasks;
  turns: Turns;
  standing: Standing;
  workspace: Workspace;
  clock: Clock;
  log: Log;
  /** Whether main agents branch when the query does not say. */
  branch: QueryOptions['branch'];
  max_running: number;
  input_limit: number;
  problemOfModel(model: string): string | null;
  /** Most that a query may spend with everything under it; it may ask for less. */
  tree_limit: SpendLimit;
};
export type NewQuery = { input: string; workdir?: string | undefined };
export type ListAsk = PageAsk & { status?: QueryStatus; kind?: QueryKind };

export type QueryService = ReturnType<typeof createQueryService>;

export function createQueryService(deps: QueryDeps) {
  const { store, tasks, turns, standing, workspace, clock, log, branch } = deps;
  const defaults: QueryOptions = { model: null, background: false, branch, review: 'defer' };
  const { reads } = store;
  // Queries that wait for their turn, oldest first.
  const queue: string[] = [];
  let closed = false;

  async function find(id: string): Promise<Query> {
    const query = await reads.queries.get(id.trim().toLowerCase());
    if (!query)
      throw new AppError('not_found', `no query ${id.slice(0, 200)}; ids are given whole`);
    return query;
  }

  function check(input: string): void {
    if (input.trim() === '')
      throw new AppError('bad_request', 'input is empty; say what you want done', {
        errors: [{ path: '/input', message: 'must not be empty' }],
      });
    const bytes = Buffer.byteLength(input);
    if (bytes > deps.input_limit)
      throw new AppError(
        'bad_request',
        `input has ${bytes} bytes; at most ${deps.input_limit} are allowed`,
        {
          errors: [{ path: '/input', message: `at most ${deps.input_limit} bytes` }],
        },
      );
  }

  /** Starts waiting queries while there is room. */
  function pump(): void {
    while (!closed && queue.length > 0 && turns.active() < deps.max_running) {
      const query_id = queue.shift() as string;
      void turns
        .run(query_id)
        .then((how) => how === 'goes_on' && wantTurn(query_id))
        .catch((error: unknown) => log.error({ err: error, query_id }, 'a turn broke off'))
        .finally(pump);
    }
  }
  function wantTurn(query_id: string): void {
    if (!queue.includes(query_id)) queue.push(query_id);
    pump();
  }

  const make = (
    input: string,
    kind: QueryKind,
    workdir: string,
    options: QueryOptions,
    at: string,
  ): Query => ({
    query_id: uuidv7(),
    kind,
    input,
    status: kind === 'direct' ? 'running' : 'queued',
    answer: null,
    branched: false,
    workdir,
    options,
    usage: noUsage(),
    iterations: 0,
    error: null,
    created_at: at,
    updated_at: at,
  });

  return {
    /** The implicit query of a task that comes straight through the API. */
    direct: (description: string, at: string, options: Partial<QueryOptions> = {}): Query =>
      make(description, 'direct', workspace.fresh(clock.now()), { ...defaults, ...options }, at),

    /** Durable when it resolves. `extra`: rows of the same unit of work. */
    async create(
      input: NewQuery,
      options: Partial<QueryOptions> = {},
      extra?: (t: Tx, query: Query) => Promise<void>,
    ): Promise<Query> {
      if (closed)
        throw new AppError(
          'shutting_down',
          'the server is shutting down; try again when it is back',
        );
      check(input.input);
      const problem = options.model ? deps.problemOfModel(options.model) : null;
      if (problem)
        throw new AppError('bad_request', problem, {
          errors: [{ path: '/model', message: problem }],
        });
      checkLimits(options, deps.tree_limit);
      const workdir = input.workdir ? workspace.named(input.workdir) : workspace.fresh(clock.now());
      workspace.make(workdir);
      // A folder that somebody named is the project, unless the caller says which it is.
      const project = input.workdir ? workdir : DEFAULT_PROJECT;
      const query = await store.tx(async (t) => {
        const all = { ...defaults, project, ...options };
        const row = make(input.input, 'agent', workdir, all, t.at);
        await t.queries.insert(row);
        await t.checkpoints.append({
          thread_id: row.query_id,
          run_id: row.query_id,
          step: 0,
          messages: [{ role: 'user', content: input.input }],
        });
        await t.events.append({
          kind: 'query',
          state: 'queued',
          detail: input.input.split('\n', 1)[0]?.slice(0, 200) ?? '',
          query_id: row.query_id,
          data: { workdir },
        });
        await extra?.(t, row);
        return row;
      });
      queue.push(query.query_id);
      pump();
      return query;
    },

    get: find,
    list: (ask: ListAsk): Promise<Page<Query>> => reads.queries.list(ask),
    wait: (id: string, ms: number, signal: AbortSignal) => turns.untilEnded(id, ms, signal),

    /** A new turn on an ended query; to a running one a message before its next model step. */
    async message(id: string, text: string): Promise<Query> {
      check(text);
      const query = await find(id);
      if (query.kind === 'direct')
        throw new AppError(
          'conflict',
          `query ${query.query_id} has no main agent; send the message to its task`,
        );
      if ((await turns.say(query.query_id, text)) === 'next') wantTurn(query.query_id);
      return find(id);
    },

    /** The whole tree stops; AppError conflict with the true status when it has already ended. */
    async cancel(id: string, reason: string): Promise<Query> {
      const query = await find(id);
      if (!isOpenQuery(query.status))
        throw new AppError(
          'conflict',
          `query ${query.query_id} is already ${query.status}; nothing was changed`,
          {
            data: { status: query.status },
          },
        );
      const at = queue.indexOf(query.query_id);
      if (at >= 0) queue.splice(at, 1);
      await turns.cancel(query, reason);
      const after = await find(id);
      if (after.status !== 'cancelled')
        throw new AppError(
          'conflict',
          `query ${query.query_id} is already ${after.status}; nothing was changed`,
          {
            data: { status: after.status },
          },
        );
      return after;
    },

    async tree(id: string) {
      const query = await find(id);
      const [all, agents] = await Promise.all([
        reads.tasks.ofQuery(query.query_id),
        reads.subagents.ofQuery(query.query_id),
      ]);
      const own = query.kind === 'direct' ? noUsage() : await turns.ownUsage(query.query_id);
      const spend = await reads.spend.ofQuery(query.query_id);
      const { waitingOf } = tasks;
      return treeOf({ query, own, tasks: all, agents, spend, waitingOf });
    },
    files: async (id: string) => listFiles((await find(id)).workdir),
    openFile: async (id: string, path: string) => readOne((await find(id)).workdir, path),
    zip: async (id: string) => zipOf((await find(id)).workdir),
    async result(id: string) {
      const query = await find(id);
      const all = await reads.tasks.ofQuery(query.query_id);
      return {
        query_id: query.query_id,
        status: query.status,
        answer: query.answer,
        branched: query.branched,
        error: query.error,
        usage: isOpenQuery(query.status) ? totalUsage(query.usage, all) : query.usage,
        iterations: query.iterations,
        files: await listFiles(query.workdir),
        tasks: all.map(({ task_id, subagent_type, status, result, error }) => ({
          task_id,
          subagent_type,
          status,
          result,
          error,
        })),
      };
    },

    counts: () => ({
      running: turns.active(),
      queued: queue.length,
      max_running: deps.max_running,
    }),
    /** After a restart: everything that had not ended goes on, oldest first. */
    async recover(): Promise<number> {
      const open = (await reads.queries.open()).filter((q) => q.kind === 'agent');
      for (const { query_id } of open) queue.push(query_id);
      await standing.begin();
      standing.onChange(pump);
      pump();
      return open.length;
    },
    /** No new turns; running ones stop where they are and go on at the next start. */
    async close(): Promise<void> {
      closed = true;
      standing.close();
      await turns.close();
    },
  };
}

/** A query narrows the limits of the operator; it never widens them. */
function checkLimits(options: Partial<QueryOptions>, limit: SpendLimit): void {
  for (const [name, asked, most, setting] of [
    ['max_tokens', options.max_tokens, limit.tokens, 'tree_tokens'],
    ['max_usd', options.max_usd, limit.usd, 'tree_usd'],
  ] as const) {
    if (asked === undefined || most === 0 || asked <= most) continue;
    const message = `${name} is ${asked}; [limits] ${setting} allows at most ${most}`;
    throw new AppError('bad_request', message, { errors: [{ path: `/${name}`, message }] });
  }
}

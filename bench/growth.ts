// `node --import tsx bench/growth.ts [most]`: what costs more when there is more. The same calls on the built product
// over 10³, 10⁴ and 10⁵ tasks in its database, each against the smallest; and its memory after many short tasks.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fillState } from '../test/support/filled-state.ts';
import { MEASURED, settledBytes } from '../test/support/memory.ts';
import { quantile } from './measure.ts';
import { type Server, startProduct } from './server.ts';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 100;
const WARMUP = 50;
const SHORT_TASKS = [1_000, 5_000, 20_000];
/** Waiting tasks of a recovery: as many as may wait by default. */
const QUEUED = [1_000, 10_000];

type Side = { size: number; server: Server; query_id: string; task_id: string; back: string };

const startOne = (server: Server) =>
  server.call<{ query_id: string; task_id: string }>('POST', '/v1/tasks', {
    ...{ subagent_type: 'coder', description: '[[delay=3600000]]' },
  });
const get =
  (path: (side: Side) => string) =>
  (side: Side): Promise<unknown> =>
    side.server.call('GET', path(side));
const CALLS: Record<string, (side: Side) => Promise<unknown>> = {
  'accept a task': ({ server }) => startOne(server),
  'one task': get(({ task_id }) => `/v1/tasks/${task_id}`),
  'a page of tasks': get(() => '/v1/tasks?limit=50'),
  'a page far back': get(({ back }) => `/v1/tasks?limit=50&cursor=${back}`),
  'a page by status and role': get(() => '/v1/tasks?limit=50&status=completed&role=coder'),
  'a tree': get(({ query_id }) => `/v1/queries/${query_id}/tree`),
  'events of a query': get(({ query_id }) => `/v1/queries/${query_id}/events`),
  'the first events': get(() => '/v1/events?limit=50'),
  'events of a rare kind': get(() => '/v1/events?kinds=server&limit=50'),
  'events of a role': get(() => '/v1/events?role=coder&after=1000&limit=50'),
  status: get(() => '/v1/status'),
};

/** Medians in milliseconds, one for each side. Sides take turns: a slow moment of the machine hits them all. */
async function medians(sides: Side[], call: (side: Side) => Promise<unknown>): Promise<number[]> {
  const times = sides.map((): number[] => []);
  for (let n = -WARMUP; n < ROUNDS; n += 1)
    for (const [at, side] of sides.entries()) {
      const since = performance.now();
      await call(side);
      if (n >= 0) times[at]?.push(performance.now() - since);
    }
  return times.map((all) => quantile(all, 0.5));
}

/** Milliseconds from the start of the process until it says that it is ready. */
async function startTime(folder: string): Promise<{ ms: number; server: Server }> {
  const since = performance.now();
  const server = await startProduct(folder, { MAX_SUBAGENTS: '1' });
  return { ms: performance.now() - since, server };
}

const figures = (rows: Record<string, number[]>, head: (string | number)[]): void => {
  console.log(['', ...head, '× first'].join('\t'));
  for (const [name, values] of Object.entries(rows)) {
    const ratio = (values.at(-1) ?? 0) / (values[0] ?? 1);
    console.log([name, ...values.map((v) => v.toFixed(2)), ratio.toFixed(2)].join('\t'));
  }
};

async function bySize(folder: string, sizes: number[]): Promise<void> {
  const rows: Record<string, number[]> = { 'MiB of database': [], start: [] };
  const sides: Side[] = [];
  for (const size of sizes) {
    const own = join(folder, `size-${size}`);
    mkdirSync(own);
    await fillState(own, size, true);
    rows['MiB of database']?.push(statSync(join(own, 'troupe.db')).size / 2 ** 20);
    const { ms, server } = await startTime(own);
    rows.start?.push(ms);
    const page = await server.call<{ next_cursor: string }>('GET', '/v1/tasks?limit=500');
    sides.push({ size, server, back: page.next_cursor, ...(await startOne(server)) });
  }
  for (const [name, call] of Object.entries(CALLS)) rows[name] = await medians(sides, call);
  for (const { server } of sides) await server.kill();
  console.log('\nmilliseconds, by tasks in the database');
  figures(rows, sizes);
}

async function byQueue(folder: string): Promise<void> {
  const rows: Record<string, number[]> = { 'start, until ready': [] };
  for (const size of QUEUED) {
    const own = join(folder, `queue-${size}`);
    mkdirSync(own);
    await fillState(own, size, false);
    const { ms, server } = await startTime(own);
    rows['start, until ready']?.push(ms);
    await server.kill();
  }
  console.log('\nmilliseconds, by waiting tasks to be recovered');
  figures(rows, QUEUED);
}

async function byWork(folder: string, counts: number[]): Promise<void> {
  const own = join(folder, 'work');
  mkdirSync(own);
  const server = await startProduct(own, MEASURED);
  const rows: Record<string, number[]> = { 'MiB of main': [], 'tasks per second': [] };
  let done = 0;
  const work = async (until: number): Promise<void> => {
    while (done < until) {
      done += 1;
      const { task_id } = await server.call<{ task_id: string }>('POST', '/v1/tasks', {
        ...{ subagent_type: 'coder', description: 'short' },
      });
      await server.call('GET', `/v1/tasks/${task_id}?wait_ms=20000`);
    }
  };
  for (const count of counts) {
    const before = done;
    const since = performance.now();
    await Promise.all(Array.from({ length: 16 }, () => work(count)));
    rows['tasks per second']?.push((count - before) / ((performance.now() - since) / 1000));
    rows['MiB of main']?.push((await settledBytes(server)) / 2 ** 20);
  }
  await server.stop();
  console.log('\nby short tasks since the start');
  figures(rows, counts);
}

const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
mkdirSync('.tmp', { recursive: true });
const folder = mkdtempSync(resolve('.tmp', 'growth-'));
try {
  await bySize(
    folder,
    SIZES.filter((size) => size <= most),
  );
  await byQueue(folder);
  await byWork(
    folder,
    SHORT_TASKS.filter((count) => count <= most),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

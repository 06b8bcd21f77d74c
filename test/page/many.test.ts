// Two hundred agents and twenty thousand events: the page stays usable, and says what the frames took.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const NODES = 200;
const EVENTS = 20_000;

type Event = Record<string, unknown> & { seq: number };

/** A query of two hundred tasks as the server would tell of it: the page cannot tell the difference. */
function eventsOf(query_id: string, from: number, at: number): Event[] {
  const events: Event[] = [];
  const add = (event: Record<string, unknown>): void => {
    const seq = from + events.length + 1;
    const prev_seq = seq - 1;
    const time = new Date(at + events.length).toISOString();
    events.push({ seq, prev_seq, query_id, detail: '', data: {}, at: time, ...event });
  };
  const ids = Array.from({ length: NODES }, (_, n) => `task-${n}`);
  for (const [n, task_id] of ids.entries()) {
    const who = { task_id, agent_id: `sa_${n}`, role: 'coder', kind: 'subagent' };
    const parent_id = n < 20 ? 'main-agent' : `sa_${n % 20}`;
    for (const state of ['created', 'assigned', 'running'])
      add({ ...who, state, data: { ordinal: n + 1, depth: n < 20 ? 1 : 2, parent_id } });
  }
  for (let n = 0; events.length < EVENTS; n += 1)
    add({
      ...{ kind: 'output', state: 'text', role: 'coder' },
      ...{ task_id: ids[n % NODES], agent_id: `sa_${n % NODES}`, data: { text: `line ${n}\n` } },
    });
  return events;
}

it('200 nodes and 20,000 events stay smooth', async () => {
  const troupe = await startTroupe();
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
    input: '[[delay=60000]] many',
  });
  const { last_seq } = await troupe.call<{ last_seq: number }>('GET', '/v1/status');
  const events = eventsOf(query_id, last_seq, Date.now());
  const { page } = await openPage('about:blank');
  await page.route('**/v1/events?*', (route) =>
    route.fulfill({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: events
        .map((e) => `id: ${e.seq}\nevent: ${e.kind}\ndata: ${JSON.stringify(e)}\n\n`)
        .join(''),
    }),
  );
  await page.addInitScript(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    let last = performance.now();
    const count = (): void => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  await page.goto(`${troupe.url}/#/queries/${query_id}`);
  const grid = page.getByRole('treegrid');
  await until(
    async () => (await grid.getAttribute('aria-rowcount')) === String(NODES + 1),
    30_000,
    'all rows are known',
  );
  // Only what is in sight is in the document.
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await grid.evaluate((node) => node.scrollTo(0, node.scrollHeight));
  await page.getByRole('row', { name: /coder agent #200/ }).waitFor();
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const sorted = [...frames].sort((a, b) => a - b);
  const part = (q: number): string => (sorted[Math.floor(sorted.length * q)] ?? 0).toFixed(0);
  console.log(
    `frames: ${frames.length}, p50 ${part(0.5)} ms, p95 ${part(0.95)} ms, longest ${part(0.999)} ms`,
  );
}, 90_000);

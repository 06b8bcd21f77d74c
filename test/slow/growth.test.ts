// What a server has done before must not weigh on what it does next.
import { expect, it } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { fillState } from '../support/filled-state.ts';
import { MEASURED, settledBytes } from '../support/memory.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

const MIB = 1024 * 1024;

async function work(troupe: Troupe, count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      expect((await troupe.ended((await troupe.start('coder', 'short')).task_id)).result).toBe(
        'short',
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

it('10,000 waiting tasks are there again within seconds, in their order', {
  timeout: 120_000,
}, async () => {
  const folder = tempFolder();
  await fillState(folder, 10_000, false);
  const since = performance.now();
  const troupe = await startTroupe({ folder, env: { MAX_SUBAGENTS: '1' } });
  expect(await troupe.ask('GET', '/readyz')).toMatchObject({ status: 200 });
  expect(performance.now() - since).toBeLessThan(10_000);
  const { slots } = await troupe.call<{ slots: { queued: number; held: number } }>(
    'GET',
    '/v1/status',
  );
  expect(slots.queued + slots.held).toBeGreaterThan(9_000);
  const first = async (after: number): Promise<TroupeEvent | undefined> => {
    const path = `/v1/events?kinds=subagent&limit=1&after=${after}`;
    return (await troupe.call<{ data: TroupeEvent[] }>('GET', path)).data[0];
  };
  const [made, taken] = [await first(0), await first(10_000)];
  expect(taken).toMatchObject({ state: 'assigned', task_id: made?.task_id });
});

it('20,000 short tasks leave no more in memory than the first 2,000', {
  timeout: 600_000,
}, async () => {
  const troupe = await startTroupe({ env: MEASURED });
  await work(troupe, 2_000);
  const before = await settledBytes(troupe);
  await work(troupe, 20_000);
  const after = await settledBytes(troupe);
  // The newest events are kept for readers, up to a bound that the first tasks do not reach.
  expect(after - before).toBeLessThan(40 * MIB);
});

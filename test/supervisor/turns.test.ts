import { expect, test } from 'vitest';
import { createTurns } from '../../src/supervisor/turns.ts';

const never = new AbortController().signal;

test('turns are given in order, each once, and a waiter that gives up is skipped', async () => {
  const turns = createTurns(1);
  const first = await turns.take(never);
  const order: string[] = [];
  const gives_up = new AbortController();
  const second = turns.take(gives_up.signal).catch((reason) => order.push(String(reason)));
  const third = turns.take(never).then((release) => {
    order.push('third');
    return release;
  });
  gives_up.abort('tired');
  first();
  first(); // a second call gives nothing back
  await second;
  const release = await third;
  expect(order).toEqual(['tired', 'third']);
  let fourth = false;
  const next = turns.take(never).then(() => {
    fourth = true;
  });
  await Promise.resolve();
  expect(fourth).toBe(false);
  release();
  await next;
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlots, type Waiter } from '../../src/tasks/slots.ts';

const waiter = (agent_id: string, more: Partial<Waiter> = {}): Waiter => ({
  agent_id,
  role: 'coder',
  query_id: 'q1',
  ancestors: [],
  returning: false,
  ...more,
});
const none = new Set<string>();
/** Grants until nothing more goes; answers the order. */
function drain(slots: ReturnType<typeof createSlots>, full = none, most = 1000): string[] {
  const order: string[] = [];
  for (let next = slots.next(full); next && order.length < most; next = slots.next(full)) {
    slots.grant(next.agent_id);
    order.push(next.agent_id);
  }
  return order;
}
/** Grants one after the other with a single slot: the pure order of the queue. */
function serial(slots: ReturnType<typeof createSlots>): string[] {
  const order: string[] = [];
  for (let next = slots.next(none); next; next = slots.next(none)) {
    slots.grant(next.agent_id);
    order.push(next.agent_id);
    slots.release(next.agent_id);
  }
  return order;
}

describe('slots', () => {
  it('never grants more than the maximum and grants again after a release', () => {
    const slots = createSlots(2);
    for (const id of ['a', 'b', 'c', 'd']) slots.enqueue(waiter(id));
    expect(drain(slots)).toEqual(['a', 'b']);
    expect(slots.counts()).toEqual({ max: 2, held: 2, lent: 0, queued: 2 });
    slots.release('a');
    slots.release('a');
    expect(drain(slots)).toEqual(['c']);
  });

  it('keeps the order of arrival within a query', () => {
    const slots = createSlots(1);
    for (const id of ['a', 'b', 'c']) slots.enqueue(waiter(id));
    expect(serial(slots)).toEqual(['a', 'b', 'c']);
  });

  it('is fair between queries: one task is not behind the fifty of another', () => {
    const slots = createSlots(1);
    for (let i = 0; i < 50; i++) slots.enqueue(waiter(`big${i}`, { query_id: 'big' }));
    slots.enqueue(waiter('small', { query_id: 'small' }));
    expect(serial(slots).indexOf('small')).toBeLessThanOrEqual(1);
  });

  it('does not let a stream of new queries starve an older one', () => {
    const slots = createSlots(1);
    for (let i = 0; i < 3; i++) slots.enqueue(waiter(`old${i}`, { query_id: 'old' }));
    const order: string[] = [];
    for (let i = 0; i < 60; i++) {
      slots.enqueue(waiter(`new${i}`, { query_id: `q${i}` }));
      const next = slots.next(none) as Waiter;
      slots.grant(next.agent_id);
      order.push(next.agent_id);
      slots.release(next.agent_id);
    }
    expect(order.indexOf('old2')).toBeGreaterThan(0);
    expect(order.indexOf('old2')).toBeLessThan(40);
  });

  it('passes over a role that has no place, and only over that', () => {
    const slots = createSlots(5);
    slots.enqueue(waiter('a'));
    slots.enqueue(waiter('b', { role: 'planner' }));
    expect(drain(slots, new Set(['coder']))).toEqual(['b']);
    expect(drain(slots)).toEqual(['a']);
  });

  it('removes a cancelled waiter', () => {
    const slots = createSlots(1);
    for (const id of ['a', 'b', 'c']) slots.enqueue(waiter(id));
    expect(slots.remove('b')).toBe(true);
    expect(slots.remove('b')).toBe(false);
    expect(serial(slots)).toEqual(['a', 'c']);
  });

  it('lends the slot of a waiting parent first to its descendants', () => {
    const slots = createSlots(1);
    slots.enqueue(waiter('parent'));
    drain(slots);
    slots.enqueue(waiter('stranger', { query_id: 'q2' }));
    slots.enqueue(waiter('child', { ancestors: ['parent'], query_id: 'q3' }));
    expect(slots.next(none)).toBeNull();
    expect(slots.lend('parent')).toBe(true);
    expect(drain(slots)).toEqual(['child']);
    expect(slots.retake('parent')).toBe(false);
    slots.release('child');
    expect(slots.retake('parent')).toBe(true);
    expect(slots.next(none)).toBeNull();
  });

  it('lets returning work go before new work', () => {
    const slots = createSlots(1);
    slots.enqueue(waiter('new'));
    slots.enqueue(waiter('resumed', { query_id: 'q2', returning: true }));
    expect(serial(slots)).toEqual(['resumed', 'new']);
  });

  it('keeps the maximum over any sequence of operations, and forgets nobody', () => {
    const op = fc.oneof(
      fc.record({ op: fc.constant('enqueue'), id: fc.nat(40), q: fc.nat(4) }),
      fc.record({
        op: fc.constantFrom('grant', 'release', 'lend', 'retake', 'remove'),
        id: fc.nat(40),
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(op, { maxLength: 200 }), (max, ops) => {
        const slots = createSlots(max);
        const queued = new Set<string>();
        for (const step of ops) {
          const id = `a${step.id}`;
          if (step.op === 'enqueue' && !queued.has(id) && !slots.holds(id)) {
            slots.enqueue(waiter(id, { query_id: `q${'q' in step ? step.q : 0}` }));
            queued.add(id);
          } else if (step.op === 'grant') {
            const next = slots.next(none);
            if (next) {
              slots.grant(next.agent_id);
              queued.delete(next.agent_id);
            } else expect(queued.size === 0 || slots.full()).toBe(true);
          } else if (step.op === 'release') slots.release(id);
          else if (step.op === 'lend') slots.lend(id);
          else if (step.op === 'retake') slots.retake(id);
          else if (step.op === 'remove' && slots.remove(id)) queued.delete(id);
          const { held, queued: n } = slots.counts();
          expect(held).toBeLessThanOrEqual(max);
          expect(n).toBe(queued.size);
        }
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { canMove, isOutcome, MOVES, OUTCOMES, SUBAGENT_STATES } from '../../src/domain/subagent.ts';

// Row: from. Column: to, in the order of SUBAGENT_STATES. Written by hand, not derived from the table under test.
const ALLOWED = {
  //          created assigned running blocked completed failed cancelled destroyed
  created: '.x...xx.',
  assigned: '..x..xx.',
  running: '.x.xxxx.',
  blocked: '.xx..xx.',
  completed: '.......x',
  failed: '.......x',
  cancelled: '.......x',
  destroyed: '........',
} as const;

describe('the life of a subagent', () => {
  for (const from of SUBAGENT_STATES)
    it(`allows exactly the listed moves from ${from}`, () => {
      const row = SUBAGENT_STATES.map((to) => (canMove(from, to) ? 'x' : '.')).join('');
      expect(row).toBe(ALLOWED[from]);
    });

  it('derives the outcomes from the table', () => {
    expect(OUTCOMES).toEqual(['completed', 'failed', 'cancelled']);
    expect(SUBAGENT_STATES.filter(isOutcome)).toEqual(['completed', 'failed', 'cancelled']);
    expect(MOVES.destroyed).toEqual([]);
  });
});

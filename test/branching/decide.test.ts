import { describe, expect, it } from 'vitest';
import {
  atCheckpoint,
  BRANCH_REASONS,
  decide,
  type Facts,
  partsFor,
  pointsScore,
  ratioScore,
  readGate,
  workIn,
} from '../../src/branching/index.ts';
import { COMPLEX, facts, REQUEST, talk, times } from './talk.ts';

/** In the order in which they are tried. */
const GUARDS: [reason: string, change: Partial<Facts>][] = [
  ['never', { mode: 'never' }],
  ['already_branched', { already_branched: true }],
  ['already_delegating', { already_delegating: true }],
  ['depth', { branch_level: 1 }],
  ['gate', { gate: readGate('Fix the login bug'), parts: 0 }],
  [
    'score',
    { scores: { ratio: ratioScore(workIn([], 'turn')), points: pointsScore(workIn([], 'turn')) } },
  ],
  ['slots', { slots_free: 1 }],
  ['budget', { steps_left: 2 }],
];

describe('the guards', () => {
  it.each(GUARDS)('%s keeps an agent from branching', (reason, change) => {
    const { branch, branches, detail, reason: said } = decide(facts(change));
    expect({ branch, branches, said }).toEqual({ branch: false, branches: 0, said: reason });
    expect(detail).toContain(BRANCH_REASONS[reason as keyof typeof BRANCH_REASONS]);
  });

  it('are tried in their order', () => {
    // All that come later refuse as well: the first one is the reason.
    GUARDS.forEach(([reason], i) => {
      const all = Object.assign(
        {},
        ...GUARDS.slice(i)
          .reverse()
          .map(([, change]) => change),
      );
      expect(decide(facts(all)).reason).toBe(reason);
    });
  });

  it.each([
    ['a tree that is being stopped', { paused: 'the query is being cancelled' }, 'slots'],
    ['too many agents in the tree', { nodes: 39, max_nodes: 40 }, 'budget'],
    ['a leaf', { can_spawn: false }, 'depth'],
  ] as const)('%s', (_what, change, reason) => {
    expect(decide(facts(change)).reason).toBe(reason);
  });

  it('let as many branches start as there is room for', () => {
    const request = 'Fix the login bug, update the README and write a poem about the sea';
    expect(decide(facts({}, COMPLEX, request)).branches).toBe(3);
    expect(decide(facts({ slots_free: 2 }, COMPLEX, request)).branches).toBe(2);
    expect(decide(facts({ nodes: 38 }, COMPLEX, request)).branches).toBe(2);
    expect(decide(facts({ fan_out: 2 }, COMPLEX, request)).branches).toBe(2);
  });
});

describe('branch = always', () => {
  const light = talk({ turns: 1 });
  it('skips gate and score, and nothing else', () => {
    const closed = { mode: 'always' as const, gate: readGate('Fix A1. Update B2.'), parts: 2 };
    expect(decide(facts(closed, light)).branch).toBe(true);
    for (const [reason, change] of GUARDS)
      if (!['never', 'gate', 'score'].includes(reason))
        expect(decide(facts({ ...closed, ...change }, light)).reason).toBe(reason);
  });

  it('takes the parts that a closed gate left together, but no sequence', () => {
    const loose = 'Fix the login bug. Update the README.';
    const parts = (text: string, mode: 'auto' | 'always') => partsFor(text, readGate(text), mode);
    expect(parts(loose, 'auto')).toEqual([]);
    expect(parts(loose, 'always')).toHaveLength(2);
    expect(parts('Fix the login bug and then update the README', 'always')).toEqual([]);
    expect(parts(REQUEST, 'auto')).toHaveLength(2);
  });

  it('cannot branch what has one part', () => {
    const one = { mode: 'always' as const, gate: readGate('Hello'), parts: 1 };
    expect(decide(facts(one)).reason).toBe('gate');
  });
});

describe('later decisions', () => {
  const scores = (messages: Parameters<typeof workIn>[0]) => {
    const work = workIn(messages, 'turn');
    return { ratio: ratioScore(work), points: pointsScore(work) };
  };
  const busy = talk({ calls: ['a', 'b', 'c', 'd', ...times('a', 6)], turns: 8 });

  it.each([
    ['little work, much budget', COMPLEX, 5, 100, false],
    ['three points', busy, 5, 100, true],
    ['70 % of the steps', COMPLEX, 70, 100, true],
    ['69 % of the steps', COMPLEX, 69, 100, false],
    ['no limit of steps', COMPLEX, 999, 0, false],
  ] as const)(
    'come with three points or 70 % of the steps: %s',
    (_what, messages, steps, max, expected) => {
      expect(atCheckpoint(scores(messages), steps, max)).toBe(expected);
    },
  );

  it('are judged by the points, and started tasks do not stand in their way', () => {
    const later = { trigger: 'checkpoint' as const, already_delegating: true };
    expect(decide(facts({ ...later, scores: scores(busy) })).branch).toBe(true);
    expect(decide(facts({ ...later, scores: scores(COMPLEX) })).reason).toBe('score');
  });
});

describe('recursion', () => {
  it('with branch_depth 2 a branch may branch once, its branches never', () => {
    const at = (branch_level: number, already_branched = false) =>
      decide(facts({ branch_level, branch_depth: 2, already_branched })).reason;
    expect([at(0), at(1), at(1, true), at(2)]).toEqual([
      'branched',
      'branched',
      'already_branched',
      'depth',
    ]);
  });

  it('a tree that branches wherever it may ends within max_nodes', () => {
    let nodes = 1;
    const grow = (branch_level: number): void => {
      const { branches } = decide(facts({ branch_level, branch_depth: 5, nodes, max_nodes: 10 }));
      nodes += branches;
      for (let i = 0; i < branches; i++) grow(branch_level + 1);
    };
    grow(0);
    expect(nodes).toBeGreaterThan(1);
    expect(nodes).toBeLessThanOrEqual(10);
  });
});

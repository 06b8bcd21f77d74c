import { describe, expect, it } from 'vitest';
import {
  heavyEnough,
  pointsOf,
  pointsScore,
  ratioScore,
  workIn,
} from '../../src/branching/index.ts';
import type { Message } from '../../src/domain/message.ts';
import { type Talk, talk, times } from './talk.ts';

const four = (calls: number): string[] => Array.from({ length: calls }, (_, i) => `tool${i % 4}`);

/** Conversation, ratio score, points. */
const TABLE: [what: string, talk: Talk, ratio: number, points: number][] = [
  ['a question and an answer', { turns: 1 }, 0.025, 0],
  ['1 call', { calls: ['a'] }, 0.32, 0],
  ['2 different calls', { calls: ['a', 'b'] }, 0.34, 0],
  ['3 different calls', { calls: ['a', 'b', 'c'] }, 0.36, 0],
  ['3 calls of one tool', { calls: times('a', 3) }, 0.16, 0],
  ['8 calls of 4 tools, 2 turns', { calls: four(8), turns: 2 }, 0.36, 1],
  ['10 calls of 4 tools, 8 turns', { calls: four(10), turns: 8 }, 0.52, 3],
  ['15 calls of one tool', { calls: times('a', 15) }, 0.32, 1],
  ['no calls, 8 turns of reasoning', { turns: 8, reasoning: 8 }, 0.3, 1],
  ['3 results and 1 turn', { calls: ['a', 'b', 'c'], turns: 1 }, 0.385, 0],
];

describe('the ratio score', () => {
  it.each(TABLE)('of %s is as the table says', (_what, how, expected) => {
    const score = ratioScore(workIn(talk(how), 'turn'), { min_tool_calls: 0 });
    expect(score.score.toFixed(3)).toBe(expected.toFixed(3));
    expect(score.verdict).toBe(expected >= 0.3);
  });

  it('of 12 calls, 5 tools, 8 turns, 4 of 10 messages with reasoning, 35 messages', () => {
    const calls = Array.from({ length: 12 }, (_, i) => `tool${i % 5}`);
    // Two messages make the calls: ten of the assistant in all.
    const messages = talk({ calls, turns: 9, reasoning: 4, messages: 35 });
    const work = { ...workIn(messages, 'session'), turns: 8 };
    expect(ratioScore(work).score.toFixed(3)).toBe('0.655');
    const usage = { input_tokens: 60, output_tokens: 40, reasoning_tokens: 30 };
    expect(pointsOf(pointsScore(work, { usage, compressed: true }))).toBe(5);
  });

  it('counts a call once, whether its message, its result or both are there', () => {
    const both = talk({ calls: ['a', 'b', 'c'] });
    const results = both.filter((m) => m.role === 'tool');
    const asked = both.filter((m) => m.role !== 'tool');
    for (const messages of [both, results, asked, [...both, ...results]])
      expect(workIn(messages, 'session').calls).toEqual(['a', 'b', 'c']);
  });

  it('does not count the async tools, but sees that work was handed on', () => {
    const work = workIn(talk({ calls: ['start_async_task', 'list_async_tasks', 'read'] }), 'turn');
    expect(work).toMatchObject({ calls: ['read'], delegated: true });
  });

  it('reads the turn, not the turns before it; a notice of the runtime begins none', () => {
    const old = talk({ calls: four(10), turns: 8 });
    const now = talk({ calls: ['read'] });
    const notice: Message = { role: 'user', kind: 'notice', content: 'a task has ended' };
    const messages = [...old, ...now, notice];
    expect(workIn(messages, 'turn').calls).toEqual(['read']);
    expect(workIn(messages, 'session').turns).toBe(8);
  });

  it('one call is too little to judge by, unless the setting says otherwise', () => {
    const work = workIn(talk({ calls: ['read'] }), 'turn');
    expect(ratioScore(work)).toMatchObject({ score: 0.32, verdict: false });
    expect(ratioScore(work, { min_tool_calls: 0 }).verdict).toBe(true);
  });

  it('names every component with weight, value and what it adds; together they are the score', () => {
    const { components, score, threshold } = ratioScore(workIn(talk({ calls: four(8) }), 'turn'));
    expect(components.map(({ name, weight }) => [name, weight])).toEqual([
      ['tool_diversity', 0.3],
      ['tool_call_count', 0.3],
      ['turn_count', 0.2],
      ['reasoning_ratio', 0.1],
      ['context_compression', 0.1],
    ]);
    const sum = components.reduce((all, { weight, value }) => all + weight * value, 0);
    expect(sum).toBeCloseTo(score, 9);
    expect(threshold).toBe(0.3);
  });
});

describe('the points', () => {
  it.each(TABLE)('for %s are as the table says', (_what, how, _ratio, expected) => {
    const score = pointsScore(workIn(talk(how), 'turn'));
    expect(pointsOf(score)).toBe(expected);
    expect(score.verdict).toBe(expected >= 3);
    expect(score.score).toBeCloseTo(expected / 7, 9);
  });

  it.each([
    ['10 calls', { calls: times('a', 10) }, {}, 1],
    ['4 tools', { calls: ['a', 'b', 'c', 'd'] }, {}, 1],
    ['8 turns', { turns: 8 }, {}, 1],
    ['a task that was started', { calls: ['start_async_task'] }, {}, 2],
    ['30 % reasoning', {}, { input_tokens: 50, output_tokens: 50, reasoning_tokens: 30 }, 1],
    ['less reasoning', {}, { input_tokens: 50, output_tokens: 50, reasoning_tokens: 29 }, 0],
  ])('rule: %s', (_what, how, tokens, expected) => {
    const usage = { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, ...tokens };
    expect(pointsOf(pointsScore(workIn(talk(how), 'turn'), { usage, compressed: false }))).toBe(
      expected,
    );
  });

  it('a compacted history is a point', () => {
    const usage = { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
    expect(pointsOf(pointsScore(workIn([], 'turn'), { usage, compressed: true }))).toBe(1);
  });
});

describe('which score decides', () => {
  const heavy = workIn(talk({ calls: ['a', 'b', 'c'] }), 'turn');
  // ratio says yes, points say no
  const scores = { ratio: ratioScore(heavy), points: pointsScore(heavy) };
  it.each([
    ['auto', 'first_round', true],
    ['auto', 'checkpoint', false],
    ['ratio', 'checkpoint', true],
    ['points', 'first_round', false],
    ['any', 'checkpoint', true],
    ['all', 'first_round', false],
  ] as const)('%s at %s: %s', (combine, trigger, expected) => {
    expect(heavyEnough(scores, combine, trigger)).toBe(expected);
  });
});

// The behaviours of self-branching under the names they have had from the beginning.
import { expect, it } from 'vitest';
import {
  type BranchResult,
  decide,
  mergeBranches,
  planBranches,
  ratioScore,
  shouldBranch,
  workIn,
} from '../../src/branching/index.ts';
import { noUsage } from '../../src/domain/message.ts';
import { COMPLEX, facts, talk, times } from './talk.ts';

const scoreOf = (messages: Parameters<typeof workIn>[0]) => ratioScore(workIn(messages, 'turn'));
const SIMPLE = talk({ turns: 1 });
const ask = (parts: string[], fan_out = 3) => ({
  request: parts.join(' and '),
  parts,
  mode: 'parallel' as const,
  constraints: ['Use TypeScript only'],
  workdir: '/srv/q',
  may_start: ['coder', 'researcher'],
  fan_out,
});
const result = (index: number, over: Partial<BranchResult> = {}): BranchResult => ({
  index,
  task_id: `task-${index}`,
  role: 'coder',
  goal: `part ${index + 1}`,
  status: 'completed',
  summary: `summary of part ${index + 1}`,
  error: null,
  usage: noUsage(),
  ...over,
});

it('test_score_returns_float_between_0_and_1', () => {
  const heavy = talk({ calls: times('a', 90), turns: 50, reasoning: 60, messages: 300 });
  for (const messages of [[], SIMPLE, COMPLEX, heavy]) {
    const { score } = scoreOf(messages);
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
});

it('test_simple_question_low_score', () => {
  expect(scoreOf(SIMPLE).score).toBeLessThan(0.1);
});

it('test_complex_debugging_high_score', () => {
  const { score, threshold } = scoreOf(talk({ calls: ['read', 'grep', 'shell'] }));
  expect(score).toBeCloseTo(0.36, 9);
  expect(score).toBeGreaterThanOrEqual(threshold);
});

it('test_tool_diversity_increases_score', () => {
  const [one = 0, two = 0, three = 0] = [
    ['a', 'a', 'a'],
    ['a', 'a', 'b'],
    ['a', 'b', 'c'],
  ].map((calls) => scoreOf(talk({ calls })).score);
  expect(one).toBeLessThan(two);
  expect(two).toBeLessThan(three);
});

it('test_should_branch_fires_on_complex_task', () => {
  const asked = facts();
  expect(shouldBranch(asked)).toBe(true);
  // It sets nothing: asking again answers the same.
  expect(shouldBranch(asked)).toBe(true);
});

it('test_should_branch_false_on_simple_task', () => {
  expect(decide(facts({}, SIMPLE))).toMatchObject({ branch: false, reason: 'score' });
});

it('test_child_agent_never_branches', () => {
  expect(decide(facts({ branch_level: 1 }))).toMatchObject({ branch: false, reason: 'depth' });
});

it('test_double_branch_prevented', () => {
  expect(decide(facts({ already_branched: true }))).toMatchObject({
    branch: false,
    reason: 'already_branched',
  });
});

it('test_debug_score_shows_breakdown', () => {
  const { components, threshold, verdict, score } = scoreOf(COMPLEX);
  expect(components.map(({ name }) => name)).toEqual([
    'tool_diversity',
    'tool_call_count',
    'turn_count',
    'reasoning_ratio',
    'context_compression',
  ]);
  for (const { weight, value, adds, found } of components) {
    expect(adds).toBeCloseTo(weight * value, 9);
    expect(found).not.toBe('');
  }
  expect([threshold, verdict]).toEqual([0.3, score >= 0.3]);
});

it('test_plan_branches_returns_list', () => {
  const plan = planBranches(ask(['Fix the login bug', 'update the README']));
  expect(plan.ok && plan.branches.map(({ index, goal }) => [index, goal])).toEqual([
    [0, 'Fix the login bug'],
    [1, 'update the README'],
  ]);
});

it('test_plan_branches_single_task', () => {
  // One part makes no branch: the agent does it itself.
  expect(planBranches(ask(['Fix the login bug']))).toMatchObject({ ok: false, reason: 'one_part' });
});

it('test_plan_branches_max_concurrent', () => {
  const parts = ['fix a', 'fix b', 'fix c', 'fix d', 'fix e'].map((p) => `${p} now`);
  const plan = planBranches(ask(parts, 3));
  expect(plan.ok && plan.branches).toHaveLength(3);
  expect(plan.ok && plan.branches.flatMap((b) => b.parts)).toEqual(parts);
});

it('test_plan_branches_includes_context', () => {
  const plan = planBranches(ask(['Fix the login bug', 'update the README']));
  if (!plan.ok) throw new Error(plan.detail);
  for (const branch of plan.branches)
    for (const part of [branch.goal, ...branch.siblings, 'Use TypeScript only', '/srv/q'])
      expect(branch.description).toContain(part);
});

it('test_integrate_results_returns_string', () => {
  expect(mergeBranches([result(0), result(1)], 'en').text).toEqual(expect.any(String));
  expect(mergeBranches([], 'en')).toMatchObject({
    status: 'failed',
    text: 'No branch has a result.',
  });
});

it('test_integrate_results_contains_summaries', () => {
  const { text, status } = mergeBranches([result(1), result(0)], 'en');
  expect(status).toBe('completed');
  for (const summary of ['summary of part 1', 'summary of part 2'])
    expect(text.split(summary)).toHaveLength(2);
  expect(text.indexOf('part 1')).toBeLessThan(text.indexOf('part 2'));
});

it('test_integrate_results_failed_branch_warning', () => {
  const failed = result(1, { status: 'failed', summary: '', error: 'model_error: no answer' });
  const { text, status, warnings } = mergeBranches([result(0), failed], 'en');
  expect(status).toBe('partial');
  expect(text).toContain('Warning: 1 of 2 branches failed.');
  expect(warnings).toEqual(['Branch 2 (coder): failed: model_error: no answer']);
  expect(text).toContain('summary of part 1');
});

it('test_integrate_results_all_failed_returns_error', () => {
  const failed = [0, 1].map((i) =>
    result(i, { status: i === 0 ? 'timeout' : 'failed', summary: '', error: `reason ${i}` }),
  );
  const { status, text } = mergeBranches(failed, 'en');
  expect(status).toBe('failed');
  for (const part of ['All branches failed', 'timeout: reason 0', 'failed: reason 1'])
    expect(text).toContain(part);
});

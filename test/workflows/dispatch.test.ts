import { describe, expect, it } from 'vitest';
import { boxesOf } from '../../src/workflows/boxes.ts';
import { readDispatch, refuseBoxes, undoneIn } from '../../src/workflows/dispatch.ts';
import { choiceIn, refuseCoding } from '../../src/workflows/strict-plan.ts';
import {
  askedStage,
  nextStage,
  refuseStage,
  type SpecFacts,
} from '../../src/workflows/strict-spec.ts';

describe('a task for a coder', () => {
  it('names its feature or change and its boxes, in lines or by path', () => {
    expect(readDispatch('Feature: csv-export\nTasks: 1, 2\nmore: 7')).toEqual({
      ...{ feature: 'csv-export', change: null, tasks: ['1', '2'] },
    });
    expect(readDispatch('- Tasks: 1.1, 1.2, 1.1\nsee .cospec/plan/changes/add-export/')).toEqual({
      ...{ feature: null, change: 'add-export', tasks: ['1.1', '1.2'] },
    });
    expect(readDispatch('Change: ../../etc\nwrite it')).toEqual({
      ...{ feature: null, change: null, tasks: [] },
    });
  });

  const numbers = Array.from({ length: 12 }, (_, i) => String(i + 1));
  const boxes = boxesOf(
    numbers
      .map((n) => `- [${n === '1' ? 'x' : ' '}] ${n} t\n  - Depends: ${n === '3' ? '2' : 'none'}`)
      .join('\n'),
  );
  const ask = { path: 'task.md', boxes, taken: new Set(['5']) };
  it('at most ten tasks, none in other hands, none that waits for an unfinished one', () => {
    const why = (...tasks: string[]) => refuseBoxes({ ...ask, tasks });
    expect(why('2')).toBeNull();
    expect(why('2', '3')).toBeNull();
    expect(why(...numbers.slice(1, 11).filter((n) => n !== '5'))).toBeNull();
    expect(why(...numbers.slice(1))).toContain('11 tasks for one coder; at most 10');
    expect(why('3')).toContain('task 3 depends on 2, which is not done');
    expect(why('5')).toContain('in the hands of another coder');
    expect(why('1')).toContain('task 1 is done');
    expect(why('99')).toContain('there is no task 99 (open in task.md: 2, 3');
    expect(why()).toContain('names no tasks');
  });

  it('is not done where its report says so, in three languages', () => {
    const tasks = ['1.1', '1.2', '1.3'];
    const undone = (report: string) => [...undoneIn(report, tasks)];
    expect(undone('Done: 1.1, 1.2 and 1.3, in 2.5 seconds')).toEqual([]);
    expect(undone('- **Done**: 1.1\n- **Not done**: 1.2, no access\n- **Blocked**: 1.3')).toEqual([
      ...['1.2', '1.3'],
    ]);
    expect(undone('Done: 1.1\nNot done: none')).toEqual([]);
    expect(undone('완료: 1.1\n미완료: 1.2')).toEqual(['1.2']);
    expect(undone('已完成：1.1\n未完成：1.3')).toEqual(['1.3']);
  });
});

describe('the user', () => {
  it('decides with now or later, in three languages; other words decide nothing', () => {
    for (const text of [
      'now',
      'Now, please.',
      'Yes, implement it now',
      'do it now',
      '지금 해주세요',
      '现在就做',
    ])
      expect([text, choiceIn(text)]).toEqual([text, 'now']);
    for (const text of ['later', 'Later please', 'not now', '나중에', '以后再说'])
      expect([text, choiceIn(text)]).toEqual([text, 'later']);
    for (const text of ['yes', 'I know', 'what now?', 'it is right now broken', ''])
      expect([text, choiceIn(text)]).toEqual([text, null]);
  });

  it('holds every coder until the proposal is in order and the answer is now', () => {
    const doc = { path: 'p', missing: false, findings: [] };
    const facts = { changes: ['add-x'], proposal: doc, tasks: doc, choice: 'now' as const };
    expect(refuseCoding('add-x', facts)).toBeNull();
    expect(refuseCoding(null, facts)).toContain('there are: add-x');
    expect(refuseCoding('add-x', { ...facts, choice: null })).toContain('has not decided yet');
    expect(refuseCoding('add-x', { ...facts, choice: 'later' })).toContain('has chosen "later"');
    const broken = { ...doc, findings: ['p:3: no target'] };
    expect(refuseCoding('add-x', { ...facts, tasks: broken })).toContain('p:3: no target');
  });

  it('names one stage in a short request, or none', () => {
    const asked: [string, string | null][] = [
      ['change the design', 'design'],
      ['Please update the requirements only', 'requirements'],
      ['redo the plan', 'plan'],
      ['설계를 다시 해줘', 'design'],
      ['修改需求', 'requirements'],
      ['change the design and the plan', null],
      ['save my table as CSV', null],
      ['go on', null],
    ];
    for (const [text, stage] of asked) expect([text, askedStage(text)]).toEqual([text, stage]);
  });
});

describe('the stages', () => {
  const good = { path: 'd', missing: false, findings: [] };
  const docs = { 'spec.md': good, 'tech.md': good, 'plan.md': good };
  const facts: SpecFacts = { docs, only: null, open: [], failed: null, boxes_left: 2 };
  const missing = { ...good, path: 'tech.md', missing: true };

  it('need the documents before them, one at a time', () => {
    expect(refuseStage('implementation', facts)).toBeNull();
    expect(refuseStage('plan', { ...facts, docs: { ...docs, 'tech.md': missing } })).toContain(
      'stage 3 (plan, TaskPlan) needs the document of stage 2 (design, DesignAgent), and tech.md is missing',
    );
    expect(refuseStage('plan', { ...facts, open: ['design'] })).toContain('is at work');
    expect(refuseStage('implementation', { ...facts, open: ['implementation'] })).toBeNull();
  });
  it('pause at a failure; a coder may be tried twice more', () => {
    const failed = { stage: 'design' as const, reason: 'no way', times: 1 };
    for (const stage of ['requirements', 'design', 'plan'] as const)
      expect(refuseStage(stage, { ...facts, failed })).toContain('paused');
    const coding = (times: number) => ({ ...failed, stage: 'implementation' as const, times });
    expect(refuseStage('implementation', { ...facts, failed: coding(2) })).toBeNull();
    expect(refuseStage('implementation', { ...facts, failed: coding(3) })).toContain('paused');
    expect(refuseStage('design', { ...facts, failed: coding(1) })).toContain('waits for it');
  });
  it('are at their end when every document is in order and every box is ticked', () => {
    expect(nextStage({ ...facts, boxes_left: 0 })).toBeNull();
    expect(nextStage(facts)).toMatchObject({ stage: 'implementation' });
    expect(nextStage({ ...facts, docs: { ...docs, 'tech.md': missing } })?.stage).toBe('design');
    expect(nextStage({ ...facts, only: 'requirements' })).toBeNull();
  });
});

// StrictSpec on the real server, with a model whose answers are written down: the runtime holds the order of the stages,
// whatever the agent that leads them asks for.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Scripts, scriptedRoles, start, write } from '../support/scripted-roles.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';
import { ask, ended, notes, say, tasksOf } from '../support/workflow-story.ts';
import { PLAN, SPEC, TECH } from '../workflows/documents.ts';

const at = (file: string) => `.cospec/spec/csv-export/${file}`;
const feature = (more: string) => `Feature: csv-export\n${more}`;
const WAIT = 'I wait for the result.';

const AGENTS: Scripts = {
  Requirement: [write(at('spec.md'), SPEC), 'spec.md is there'],
  DesignAgent: [write(at('tech.md'), TECH), 'tech.md is there'],
  TaskPlan: [write(at('plan.md'), PLAN), 'plan.md is there'],
  SubCoding: (task) =>
    task.includes('Tasks: 1')
      ? [write('src/export.ts', 'export const toCsv = 1;\n'), 'Done: 1']
      : [write('src/name.ts', 'export const name = 2;\n'), 'Done: 2'],
};
const STAGES = [
  start('Requirement', feature('write the specification')),
  WAIT,
  start('DesignAgent', feature('design it')),
  WAIT,
  start('TaskPlan', feature('cut it')),
  WAIT,
  start('SubCoding', feature('Tasks: 1')),
  WAIT,
  start('SubCoding', feature('Tasks: 2')),
  WAIT,
];

describe('StrictSpec', { timeout: 120_000 }, () => {
  it('runs its four stages in their order, whatever its agent tries first, and ticks what was done', async () => {
    const provider = await scriptedRoles({
      ...AGENTS,
      StrictSpec: [
        start('SubCoding', feature('Tasks: 1')),
        start('DesignAgent', feature('design it')),
        write('src/export.ts', 'my own code'),
        start('coder', 'write it'),
        ...STAGES,
        'All four stages are done.',
      ],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_TOPOLOGY: 'single' } });
    const query = await ended(troupe, await ask(troupe, 'strict-spec', 'save my table as CSV'));
    expect(query).toMatchObject({ status: 'completed', answer: 'All four stages are done.' });

    const tasks = await tasksOf(troupe, query);
    expect(tasks.map((t) => [t.subagent_type, t.status, t.depth])).toEqual([
      ['Requirement', 'completed', 1],
      ['DesignAgent', 'completed', 1],
      ['TaskPlan', 'completed', 1],
      ['SubCoding', 'completed', 1],
      ['SubCoding', 'completed', 1],
    ]);
    const refused = (await notes(troupe, query, 'security')).map((e) => [
      e.data.child,
      e.data.rule,
    ]);
    expect(refused).toEqual([
      ['SubCoding', 'workflow'],
      ['DesignAgent', 'workflow'],
      ['coder', 'matrix'],
    ]);
    expect(readFileSync(join(query.workdir, 'src/export.ts'), 'utf8')).not.toContain('my own code');
    const plan = readFileSync(join(query.workdir, at('plan.md')), 'utf8');
    expect(plan).toBe(PLAN.replaceAll('[ ]', '[x]'));
    const log = await notes(troupe, query);
    expect(log.filter((e) => e.state === 'stage_started').map((e) => e.data.stage)).toEqual([
      ...['requirements', 'design', 'plan', 'implementation', 'implementation'],
    ]);
    expect(log.filter((e) => e.state === 'ticked').map((e) => e.data.ticked)).toEqual([
      ['1'],
      ['2'],
    ]);
  });

  it('is killed in the middle of stage 3 and goes on in stage 3, each stage once', async () => {
    let dead = true;
    const provider = await scriptedRoles({
      ...AGENTS,
      TaskPlan: [() => (dead ? 'silence' : write(at('plan.md'), PLAN)), 'plan.md is there'],
      StrictSpec: [...STAGES, 'All four stages are done.'],
    });
    const first = await startTroupe({ env: provider.env });
    const query = await ask(first, 'strict-spec', 'save my table as CSV');
    await until(() => provider.of('TaskPlan').length > 0, 40_000, 'stage 3 is at work');
    await first.kill();
    expect(existsSync(join(query.workdir, at('plan.md')))).toBe(false);
    dead = false;
    const second = await startTroupe({ env: provider.env, folder: first.folder });
    expect(await ended(second, query)).toMatchObject({ status: 'completed' });
    expect((await tasksOf(second, query)).map((t) => t.subagent_type)).toEqual([
      ...['Requirement', 'DesignAgent', 'TaskPlan', 'SubCoding', 'SubCoding'],
    ]);
    for (const role of ['Requirement', 'DesignAgent']) expect(provider.of(role)).toHaveLength(2);
    expect(readFileSync(join(query.workdir, at('plan.md')), 'utf8')).not.toContain('[ ]');
  });

  it('pauses when a stage fails, says why, and goes on there when the user says so', async () => {
    let broken = true;
    const provider = await scriptedRoles({
      ...AGENTS,
      DesignAgent: [
        () =>
          broken
            ? { tool: 'report_blocked', args: { reason: 'FR-2 contradicts FR-1' } }
            : write(at('tech.md'), TECH),
        'tech.md is there',
      ],
      StrictSpec: [
        ...STAGES.slice(0, 4),
        start('TaskPlan', feature('cut it all the same')),
        start('DesignAgent', feature('design it once more')),
        'The design failed.',
        ...STAGES.slice(2),
        'All four stages are done.',
      ],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_TOPOLOGY: 'single' } });
    const asked = await ask(troupe, 'strict-spec', 'save my table as CSV');
    const paused = await ended(troupe, asked);
    expect(paused).toMatchObject({ status: 'degraded', answer: 'The design failed.' });
    expect(paused.error).toMatchObject({ code: 'stage_failed' });
    expect(paused.error?.message).toContain('stage 2 (design, DesignAgent) failed');
    expect(paused.error?.message).toContain('FR-2 contradicts FR-1');
    expect((await tasksOf(troupe, asked)).map((t) => t.subagent_type)).toEqual([
      ...['Requirement', 'DesignAgent'],
    ]);
    expect((await notes(troupe, asked)).map((e) => e.state)).toContain('paused');

    broken = false;
    await say(troupe, asked, 'FR-2 wins. Go on.');
    expect(await ended(troupe, asked)).toMatchObject({ status: 'completed' });
    expect((await tasksOf(troupe, asked)).slice(2).map((t) => t.subagent_type)).toEqual([
      ...['DesignAgent', 'TaskPlan', 'SubCoding', 'SubCoding'],
    ]);
  });

  it('runs one stage alone when the user names it', async () => {
    const provider = await scriptedRoles({
      ...AGENTS,
      StrictSpec: [
        ...STAGES,
        'All four stages are done.',
        start('Requirement', feature('once more')),
        start('TaskPlan', feature('cut it again')),
        start('DesignAgent', feature('use a stream')),
        WAIT,
        'The design is changed.',
      ],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_TOPOLOGY: 'single' } });
    const asked = await ask(troupe, 'strict-spec', 'save my table as CSV');
    expect(await ended(troupe, asked)).toMatchObject({ status: 'completed' });
    const before = (await tasksOf(troupe, asked)).length;
    await say(troupe, asked, 'Change the design: it must be a stream.');
    const again = await until(
      async () => {
        const query = await ended(troupe, asked);
        return query.answer === 'The design is changed.' && query;
      },
      40_000,
      'the second turn ends',
    );
    expect(again.status).toBe('completed');
    expect((await tasksOf(troupe, asked)).slice(before).map((t) => t.subagent_type)).toEqual([
      'DesignAgent',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { createWorld, type Work } from '../support/tasks-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** A run that main's death finds at work: it says nothing more, whatever happens. */
const silent: Work = () => new Promise(() => {});

describe('after a restart of main', () => {
  it('a message that waited on the thread of a lost run is its next attempt', async () => {
    const folder = tempFolder();
    const before = createWorld(folder, silent);
    const { task_id } = await before.tasks.start({ subagent_type: 'coder', description: 'first' });
    await until(() => before.started.length === 1, 5_000, 'the run starts');
    await before.tasks.message(task_id, 'second', 'enqueue');
    await before.close();

    const after = createWorld(
      folder,
      async ({ envelope }) => envelope.messages.at(-1)?.content ?? '',
    );
    expect(await after.tasks.recover('fail')).toMatchObject({ lost: 1, queued: 1 });
    await after.tasks.wait(task_id, 10_000, new AbortController().signal);
    const { task, attempts } = await after.tasks.get(task_id);
    expect(task).toMatchObject({ status: 'completed', result: 'second' });
    expect(attempts.map((a) => a.state)).toEqual(['failed', 'completed']);
    await after.close();
  });

  it('nothing works on for a parent that had ended before its children were stopped', async () => {
    const folder = tempFolder();
    const before = createWorld(folder, async ({ envelope, host, signal }) => {
      if (envelope.role === 'planner') {
        const call = { call_id: 'c1', subagent_type: 'coder', description: 'part' };
        await host.tasks({ op: 'start', ...call }, signal);
      }
      return new Promise(() => {});
    });
    const parent = await before.tasks.start({ subagent_type: 'planner', description: 'plan' });
    await until(() => before.started.length === 2, 5_000, 'parent and child run');
    // Main dies right behind the commit of the parent's outcome.
    const parent_agent = before.started[0]?.agent_id ?? '';
    await before.store.tx(async (t) => {
      await t.subagents.patch(parent_agent, { state: 'completed' });
      await t.tasks.patch(parent.task_id, { status: 'completed', result: 'done' });
    });
    await before.close();

    const after = createWorld(folder, async () => 'worked for nobody');
    await after.tasks.recover('resume');
    const child = before.started[1]?.thread_id ?? '';
    await after.tasks.wait(child, 10_000, new AbortController().signal);
    expect((await after.tasks.get(child)).task).toMatchObject({
      status: 'cancelled',
      result: null,
    });
    expect(after.started).toEqual([]);
    await after.close();
  });
});

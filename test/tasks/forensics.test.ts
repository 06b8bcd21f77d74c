import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedSince } from '../../src/tasks/changed-files.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const { open, start, ended, running } = tasksHarness();

describe('after a crash', () => {
  it('the agent is told that a lost call may have taken effect, and which files have changed since', async () => {
    let n = 0;
    const world = open(async ({ envelope, host, signal }) => {
      n += 1;
      if (n > 1) return envelope.messages.map((m) => m.content).join('\n');
      const calls = [{ id: 'call_1', name: 'shell', arguments: '{"command":"make"}' }];
      const message = { role: 'assistant' as const, content: '', tool_calls: calls };
      const step = { step: envelope.first_step, messages: [message], delivered: [] };
      await host.toolStarted({ step, calls });
      writeFileSync(join(envelope.workdir, 'made.txt'), 'half');
      return never(signal);
    });
    const { task_id } = await start('coder', 'build');
    await until(
      async () => (await world.store.reads.checkpoints.thread(task_id)).messages.length === 2,
      5_000,
      'the call has started',
    );
    const facts = await world.tasks.forensics(task_id);
    expect(facts.open_calls).toMatchObject([{ id: 'call_1', name: 'shell' }]);
    world.crash('coder');
    const { result } = await ended(task_id);
    expect(result).toContain('it may or may not have taken effect');
    expect(result).toMatch(/Files changed since it started:\n<<<DATA [^\n]*\n(?:.*\n)*made\.txt\n/);
  });
});

describe('after a crash in the middle of start_async_task', () => {
  it('the agent gets the answer that was lost: the id of the task that was made', async () => {
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role === 'coder') return 'part';
      if (envelope.messages.length > 1) return envelope.messages.map((m) => m.content).join('\n');
      const call = { id: 'call_1', name: 'start_async_task', arguments: '{}' };
      const message = { role: 'assistant' as const, content: '', tool_calls: [call] };
      const step = { step: envelope.first_step, messages: [message], delivered: [] };
      await host.toolStarted({ step, calls: [call] });
      const ask = { call_id: 'call_1', subagent_type: 'coder', description: 'part' };
      await host.tasks({ op: 'start', ...ask }, signal);
      return never(signal);
    });
    const parent = await start('planner', 'whole');
    const child = await until(
      async () => (await world.store.reads.tasks.children(parent.query_id, parent.task_id))[0],
      5_000,
      'the child',
    );
    world.crash('planner');
    const { result } = await ended(parent.task_id);
    expect(result).toContain(`task_id: ${child.task_id}\nsubagent_type: coder`);
    expect(result).not.toContain('may or may not');
  });
});

describe('a failed attempt', () => {
  it('shows its reasons, last receipt and changed files, and can be resumed or discarded', async () => {
    const world = open(async ({ envelope, host }) => {
      const calls = [{ id: 'c1', name: 'write', arguments: '{}' }];
      await host.toolStarted({ step: null, calls });
      writeFileSync(join(envelope.workdir, 'out.txt'), 'x');
      const receipt = { id: 'c1', name: 'write', ok: true, summary: 'wrote out.txt' };
      const step = { step: envelope.first_step, messages: [], delivered: [] };
      await host.step(step, [{ ...receipt, duration_ms: 1, exit_code: null }]);
      throw new Error('then it broke');
    });
    const { task_id } = await start();
    await ended(task_id);
    const facts = await world.tasks.forensics(task_id);
    expect(facts).toMatchObject({
      state: 'failed',
      last_call: { name: 'write', summary: 'wrote out.txt' },
      open_calls: [],
      actions: ['resume', 'discard'],
    });
    expect(facts.files_changed.map((f) => f.path)).toContain('out.txt');
    const { task, attempts } = await world.tasks.discard(task_id);
    expect(attempts.at(-1)?.state).toBe('destroyed');
    expect(task.status).toBe('failed');
  });

  it('cannot be discarded while it is at work', async () => {
    const world = open(({ signal }) => never(signal));
    const { task_id } = await start();
    await running(task_id);
    await expect(world.tasks.discard(task_id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a claim without a receipt', () => {
  it('marks the result as unverified, in the row, in an event, and for the parent', async () => {
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role === 'coder') return 'I fixed it. All tests pass.';
      await host.tasks(
        { op: 'start', call_id: 'c', subagent_type: 'coder', description: 'x' },
        signal,
      );
      const joined = await host.tasks({ op: 'join', wait_ms: 10_000 }, signal);
      return joined.ok && joined.op === 'join' ? (joined.ended[0]?.unverified.join() ?? '') : '';
    });
    const { task_id, query_id } = await start('planner');
    expect((await ended(task_id)).result).toBe('tests pass');
    const events = await world.store.reads.events.after(0, { query_id, kinds: ['notice'] }, 10);
    expect(events.map((e) => e.state)).toContain('unverified');
  });
});

describe('changedSince', () => {
  it('lists what is newer, leaves out the folders of tools, and names newest first', async () => {
    const folder = tempFolder();
    const at = (name: string, seconds: number): void => {
      writeFileSync(join(folder, name), 'x');
      utimesSync(join(folder, name), seconds, seconds);
    };
    for (const sub of ['src', 'node_modules', '.troupe']) mkdirSync(join(folder, sub));
    at('old.txt', 1_000);
    at('src/new.txt', 3_000);
    at('newer.txt', 4_000);
    at('node_modules/x.js', 4_000);
    at('.troupe/log', 4_000);
    const found = await changedSince(folder, new Date(2_000_000).toISOString());
    expect(found.map((f) => f.path)).toEqual(['newer.txt', 'src/new.txt']);
  });
});

// A disk without room: new work is refused, work under way waits, nothing acknowledged is lost, and all goes on by
// itself when there is room again.
import { describe, expect, it } from 'vitest';
import { smallDisk } from '../support/small-disk.ts';
import { startTroupe, type TaskView, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Refusal = { code: string; detail: string };
const shell = (command: string, then: string): string =>
  `[[tool shell ${JSON.stringify({ command, timeout_s: 60 })}]] ${then}`;
const running = (troupe: Troupe, id: string) =>
  until(async () => (await troupe.task(id)).status === 'running', 20_000, `task ${id} runs`);

/** Tasks are handed in until the server has refused some; answers those that it took. */
async function handInUntilRefused(troupe: Troupe): Promise<{ taken: string[]; refusal: Refusal }> {
  const taken: string[] = [];
  let refused: Refusal[] = [];
  const headers: unknown[] = [];
  while (refused.length < 5) {
    const answer = await troupe.ask<TaskView & Refusal>('POST', '/v1/tasks', {
      ...{ subagent_type: 'reviewer', description: 'x'.repeat(8_000) },
    });
    if (answer.status === 202) {
      taken.push(answer.body.task_id);
      refused = [];
      if (taken.length > 3_000) throw new Error('the disk never gets full');
    } else {
      expect(answer.status).toBe(507);
      refused.push(answer.body);
      headers.push(answer.headers['retry-after']);
    }
  }
  expect(headers.every((seconds) => Number(seconds) > 0)).toBe(true);
  return { taken, refusal: refused[0] as Refusal };
}

describe('a full disk', { timeout: 120_000 }, () => {
  for (const topology of ['split', 'single'])
    it(`makes work wait, and loses none (${topology})`, async () => {
      const disk = smallDisk(24);
      const troupe = await startTroupe({
        folder: disk.folder,
        env: { TROUPE_TOPOLOGY: topology, MAX_SUBAGENTS: '4' },
      });
      const before = await troupe.ended((await troupe.start('coder', 'before')).task_id);
      // At work while the disk is full: a command, a model call, and a main agent.
      const command = await troupe.start('coder', shell('sleep 2; true', 'by command'));
      const model = await troupe.start('planner', '[[delay=2500]] by model');
      const query = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
        input: '[[delay=2500]] by main',
      });
      await until(
        () => troupe.family().some(({ command: line }) => line.startsWith('sleep 2')),
        20_000,
        'the command is at work',
      );
      await running(troupe, model.task_id);
      disk.fill(troupe.pid);

      const { taken, refusal } = await handInUntilRefused(troupe);
      expect(refusal.code).toBe('storage_full');
      expect(refusal.detail).toContain(disk.folder);
      expect(refusal.detail).toContain('free some space');
      // Reads go on, and main is well.
      expect((await troupe.task(before.task_id)).result).toBe('before');
      expect(await troupe.ask('GET', '/livez')).toMatchObject({ status: 200 });
      // What is at work comes to where it would be stored, and waits there.
      const seen = await troupe.events();
      const sleeps = () => troupe.family().some(({ command }) => command.startsWith('sleep 2'));
      await until(() => !sleeps(), 20_000, 'the command is done');
      for (const { task_id } of [command, model])
        expect(['assigned', 'running']).toContain((await troupe.task(task_id)).status);

      disk.free(troupe.pid);
      expect((await troupe.ended(command.task_id)).result).toContain('by command');
      expect((await troupe.ended(model.task_id)).result).toContain('by model');
      await until(
        async () => {
          const path = `/v1/queries/${query.query_id}`;
          const { status } = await troupe.call<{ status: string }>('GET', path);
          return status === 'completed';
        },
        20_000,
        'the main agent has ended',
      );
      const after = await troupe.start('coder', 'after');
      expect((await troupe.ended(after.task_id)).result).toBe('after');
      for (const id of taken) expect((await troupe.ended(id)).status).toBe('completed');
      // One sequence without a hole, and what was published before is what is stored now.
      const events = await troupe.events();
      expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.slice(0, seen.length)).toEqual(seen);
      expect((await troupe.stop()).code).toBe(0);
    });
});

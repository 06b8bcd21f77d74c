import { expect, it, onTestFinished } from 'vitest';
import { createQueriesWorld } from '../support/queries-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('an answer ends with the notes of its turn that it does not use', async () => {
  const world = createQueriesWorld(tempFolder(), async ({ host }) => {
    const note = async (call_id: string, text: string): Promise<number> => {
      const answer = await host.brain({ op: 'record', call_id, note: text });
      return answer.ok && 'note_id' in answer ? answer.note_id : 0;
    };
    const used = await note('a', 'The port of the gateway is 8443');
    await note('b', 'Rows without an email address are dropped');
    return `It listens as note ${used} says.`;
  });
  onTestFinished(() => world.close());
  const { query_id } = await world.queries.create({ input: 'Which port is it?' });
  const first = (await world.ended(query_id)).answer ?? '';
  expect(first).toMatch(
    /^It listens as note \d+ says\.\n\n## Notes not used\n\n- note \d+ \(main\): Rows/,
  );
  expect(first).not.toContain('8443');
  // Of an earlier turn nothing is listed again; the same calls of a new turn are new notes.
  await world.queries.message(query_id, 'again');
  const second = (await world.ended(query_id)).answer ?? '';
  expect(second.split('Rows without')).toHaveLength(2);
});

it('the main agent starts its turn with what is remembered for the query’s project', async () => {
  const world = createQueriesWorld(tempFolder(), async () => 'done');
  onTestFinished(() => world.close());
  const { query_id } = await world.queries.create({ input: 'x' }, { project: 'shop' });
  expect((await world.ended(query_id)).options.project).toBe('shop');
  const plain = await world.queries.create({ input: 'x' });
  expect(plain.options.project).toBe('default');
});

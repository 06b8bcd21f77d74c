// A query whose conversation outgrows the model: it is summarised, goes on, and survives the death of main after it.
import { describe, expect, it } from 'vitest';
import { type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type QueryView = { query_id: string; status: string; answer: string | null };
const INPUT = 'Have a researcher look around, read the notes again and again, and report.';
const isSummary = (r: ChatRequest): boolean =>
  (r.messages[0]?.content ?? '').startsWith('You summarise');
const isRole = (r: ChatRequest): boolean =>
  (r.messages[0]?.content ?? '').startsWith('role: researcher');
const textOf = (r: ChatRequest): string => JSON.stringify(r.messages);
const call = (name: string, args: object) => ({ call: name, args: JSON.stringify(args) });
const noteText = (n: number): string => `note ${n} `.repeat(700);

/** Main starts a researcher, then writes and reads notes until it has been asked `steps` times; `pause` holds it. */
function playing(steps: number, pause: (n: number) => boolean = () => false) {
  let main = 0;
  return startProvider((request) => {
    if (isSummary(request)) return { text: 'SUMMARY: notes were written and read.' };
    if (isRole(request))
      return textOf(request).includes('end now') ? { text: 'found it' } : 'silence';
    main += 1;
    if (pause(main)) return 'silence';
    if (main === 1 && textOf(request).includes(INPUT))
      return call('start_async_task', { subagent_type: 'researcher', description: 'look around' });
    if (main <= steps) return call('write', { path: `note-${main}.txt`, content: noteText(main) });
    return { text: 'all is reported' };
  });
}
const config = (url: string): string =>
  `[models]\ndefault = "openai:m"\ncontext_tokens = 12000\n[models.openai]\nbase_url = "${url}"\napi_key = "k"\n[limits]\nmax_iterations = 200\n`;

async function open(url: string, folder?: string, topology = 'single'): Promise<Troupe> {
  return startTroupe({
    config: config(url),
    env: { TROUPE_MODEL: '', TROUPE_TOPOLOGY: topology },
    ...(folder ? { folder } : {}),
  });
}
const compactions = async (troupe: Troupe, query_id: string) =>
  (await troupe.events(`&query_id=${query_id}&kinds=notice`)).filter(
    (e) => e.state === 'compacted',
  );
const taskOf = async (troupe: Troupe, query_id: string): Promise<string> => {
  const { data } = await troupe.call<{ data: { task_id: string }[] }>(
    'GET',
    `/v1/tasks?query_id=${query_id}`,
  );
  return data[0]?.task_id ?? '';
};
const ended = (troupe: Troupe, id: string) =>
  until(
    async () => {
      const query = await troupe.call<QueryView>('GET', `/v1/queries/${id}`);
      return ['completed', 'degraded', 'failed'].includes(query.status) && query;
    },
    60_000,
    'the query ends',
  );

describe('a query that outgrows the context of its model', { timeout: 120_000 }, () => {
  it('is summarised, knows its open task, and finishes with its result', async () => {
    const provider = await playing(16);
    const troupe = await open(provider.url);
    const { query_id } = await troupe.call<QueryView>('POST', '/v1/queries', {
      ...{ input: INPUT, review: 'off' },
    });
    const found = await until(
      async () => {
        const all = await compactions(troupe, query_id);
        return all.length > 0 && all;
      },
      30_000,
      'older turns are summarised',
    );
    const task_id = await taskOf(troupe, query_id);
    expect(found[0]?.data).toMatchObject({ by: 'model', why: 'threshold', open_tasks: [task_id] });
    const { before_tokens, after_tokens } = (found[0]?.data ?? {}) as Record<string, number>;
    expect(after_tokens).toBeLessThan((before_tokens ?? 0) / 1.5);
    const after = provider.requests.filter((r) => textOf(r).includes('SUMMARY: notes')).at(-1);
    expect(textOf(after as ChatRequest)).toContain(`- ${task_id} researcher running`);
    expect(after?.messages[1]?.content).toBe(INPUT);
    // The final answer is held for the task that only the summary names.
    await troupe.call('POST', `/v1/tasks/${task_id}/messages`, {
      text: 'end now',
      mode: 'interrupt',
    });
    const query = await ended(troupe, query_id);
    expect(query).toMatchObject({ status: 'completed', answer: 'all is reported' });
    const last = provider.requests.at(-1);
    expect(textOf(last as ChatRequest)).toContain('found it');
    expect(JSON.stringify(await troupe.events(`&query_id=${query_id}&kinds=output`))).not.toContain(
      'SUMMARY',
    );
  });

  it('a task in a role server of its own is summarised as well', async () => {
    const provider = await playing(16);
    const troupe = await open(provider.url, undefined, 'split');
    const task = await troupe.start('coder', 'Write notes again and again.');
    const { status, result } = await troupe.ended(task.task_id);
    expect({ status, result }).toEqual({ status: 'completed', result: 'all is reported' });
    const events = await troupe.events(`&task_id=${task.task_id}&kinds=notice`);
    expect(events.find((e) => e.state === 'compacted')?.data).toMatchObject({ by: 'model' });
    expect(provider.requests.filter(isSummary).length).toBeGreaterThan(0);
  });

  it('the echo model is never asked for a summary', async () => {
    const troupe = await startTroupe({
      config: '[models]\ncontext_tokens = 1000\n',
      env: { TROUPE_TOPOLOGY: 'single' },
    });
    const write = `[[tool write ${JSON.stringify({ path: 'a.txt', content: noteText(1) })}]]`;
    const { task_id } = await troupe.start('coder', `${write} written`);
    await troupe.ended(task_id);
    for (const n of [1, 2, 3, 4]) {
      const text = `[[tool read {"path":"a.txt"}]] read ${n}`;
      await troupe.call('POST', `/v1/tasks/${task_id}/messages`, { text, mode: 'interrupt' });
      expect(await troupe.ended(task_id)).toMatchObject({
        status: 'completed',
        result: `read ${n}`,
      });
    }
    const events = await troupe.events(`&task_id=${task_id}&kinds=notice`);
    expect(events.find((e) => e.state === 'compacted')?.data).toMatchObject({ by: 'digest' });
  });

  it('main killed after the summary goes on from what the model saw', async () => {
    let hold = true;
    const provider = await playing(16, (n) => n > 14 && hold);
    const first = await open(provider.url);
    const { query_id } = await first.call<QueryView>('POST', '/v1/queries', {
      ...{ input: INPUT, review: 'off' },
    });
    await until(
      async () => (await compactions(first, query_id)).length > 0,
      30_000,
      'older turns are summarised',
    );
    await until(
      () => provider.requests.filter((r) => !isRole(r) && !isSummary(r)).length > 14,
      30_000,
      'main waits',
    );
    await first.kill();
    const seen = provider.requests.filter((r) => !isRole(r) && !isSummary(r)).at(-1);
    const asked = provider.requests.length;
    hold = false;
    const second = await open(provider.url, first.folder);
    await until(
      () => provider.requests.slice(asked).some((r) => !isRole(r)),
      30_000,
      'main goes on',
    );
    const resumed = provider.requests.slice(asked).find((r) => !isRole(r));
    expect(resumed?.messages.slice(1)).toEqual(seen?.messages.slice(1));
    const task_id = await taskOf(second, query_id);
    await second.call('POST', `/v1/tasks/${task_id}/messages`, {
      text: 'end now',
      mode: 'interrupt',
    });
    expect(await ended(second, query_id)).toMatchObject({
      status: 'completed',
      answer: 'all is reported',
    });
  });
});

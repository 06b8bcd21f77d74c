// Agents that start agents, on the real server: the limits that it prints are the limits that hold, to the number.
import { describe, expect, it } from 'vitest';
import { type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type TaskView, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type QueryView = { query_id: string; status: string };
const LIMITS = `
[subagents]
max_depth = 3
max_tasks = 5
max = 2
[async_subagents.coder]
may_start = ["coder"]
alternate = "none"
[async_subagents.helper]
description = "Helps."
fan_out = 2
`;

async function ask(troupe: Troupe, input: string, more: object = {}): Promise<QueryView> {
  const { query_id } = await troupe.call<QueryView>('POST', '/v1/queries', { input, ...more });
  return until(
    async () => {
      const query = await troupe.call<QueryView>('GET', `/v1/queries/${query_id}`);
      return !['queued', 'running'].includes(query.status) && query;
    },
    60_000,
    'the query ends',
  );
}
const tasksOf = async (troupe: Troupe, query_id: string) =>
  (
    await troupe.call<{ data: (TaskView & { depth: number; subagent_type: string })[] }>(
      'GET',
      `/v1/tasks?limit=100`,
    )
  ).data
    .filter((t) => t.query_id === query_id)
    .reverse();
const refusals = async (troupe: Troupe, query_id: string) =>
  (await troupe.events(`&query_id=${query_id}&kinds=security`)).map((e) => e.data);

/** An echo text that starts these tasks and ends. */
const starts = (role: string, ...descriptions: string[]): string =>
  `${descriptions
    .map(
      (description) =>
        `[[tool start_async_task ${JSON.stringify({ subagent_type: role, description })}]]`,
    )
    .join('')} done`;

describe('the limits of nested agents', () => {
  it('are printed as they are, and hold without one more or less', async () => {
    const troupe = await startTroupe({ config: LIMITS, env: { TROUPE_TOPOLOGY: 'single' } });
    expect(await troupe.call<object>('GET', '/v1/limits')).toMatchObject({
      max_depth: 3,
      max_tasks: 5,
      max_subagents: 2,
      fan_out: { helper: 2, QuickExplore: 3, SubCoding: 5 },
      workflow_max_depth: { 'strict-plan': 3, 'strict-spec': 3, tdd: 2 },
    });

    // Each coder starts another one: the third cannot.
    const chain = ['1', '2', '3', '4'].reduceRight((inner) => starts('coder', inner), 'the end');
    const deep = await ask(troupe, chain);
    expect((await tasksOf(troupe, deep.query_id)).map((t) => t.depth)).toEqual([1, 2, 3]);
    expect(await refusals(troupe, deep.query_id)).toEqual([
      {
        ...{ parent: 'coder', child: 'coder', rule: 'depth' },
        ...{ depth: 3, max_depth: 3, status: 'LEAF_NODE' },
      },
    ]);

    const many = await ask(troupe, starts('coder', ...'abcdefg'));
    expect(await tasksOf(troupe, many.query_id)).toHaveLength(5);
    expect((await refusals(troupe, many.query_id)).map((d) => d.rule)).toEqual(['nodes', 'nodes']);

    const wide = await ask(
      troupe,
      starts('helper', ...'abcd'.split('').map((x) => `[[delay=2000]] ${x}`)),
    );
    expect(await tasksOf(troupe, wide.query_id)).toHaveLength(2);
    expect((await refusals(troupe, wide.query_id)).map((d) => d.rule)).toEqual([
      'fan_out',
      'fan_out',
    ]);
  });
});

describe('a leaf', () => {
  it('has no tool to start agents, and a call that it forges is refused and kept', async () => {
    const isLeaf = ({ messages }: ChatRequest) =>
      messages[0]?.content?.startsWith('role: reviewer') ?? false;
    const said = (request: ChatRequest) => JSON.stringify(request.messages.slice(1));
    const provider = await startProvider((request) => {
      const call = (subagent_type: string) => ({
        call: 'start_async_task',
        args: JSON.stringify({ subagent_type, description: 'a part of it' }),
      });
      if (isLeaf(request))
        return said(request).includes('may not start') ? { text: 'refused' } : call('coder');
      return request.messages.length < 3 ? call('reviewer') : { text: 'done' };
    });
    const troupe = await startTroupe({
      env: {
        ...{ TROUPE_MODEL: 'openai:x', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url },
        TROUPE_TOPOLOGY: 'split',
      },
    });
    const query = await ask(troupe, 'review it');
    expect(query.status).toBe('completed');
    const tasks = await tasksOf(troupe, query.query_id);
    expect(tasks.map((t) => [t.subagent_type, t.result])).toEqual([['reviewer', 'refused']]);
    for (const request of provider.requests.filter(isLeaf)) {
      const names = request.tools?.map((t) => t.function.name) ?? [];
      expect(names).toContain('read');
      expect(names.filter((name) => name.includes('async_task'))).toEqual([]);
    }
    expect(await refusals(troupe, query.query_id)).toEqual([
      {
        ...{ parent: 'reviewer', child: 'coder', rule: 'matrix' },
        ...{ depth: 1, max_depth: 2, status: 'DEPTH_1' },
      },
    ]);
  });
});

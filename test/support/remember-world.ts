// The built product with a model whose lines are scripted: a coder makes two files, `remember` proposes them, and main
// answers before and after a person has decided. And the questions that the stories ask of it.
import type { MemoryRecord } from '../../src/domain/memory.ts';
import type { Proposal } from '../../src/domain/proposal.ts';
import { type ChatRequest, startProvider } from './fake-provider.ts';
import type { Troupe } from './troupe-server.ts';
import { until } from './until.ts';

export type QueryView = { query_id: string; status: string; answer: string | null };
export type ReviewView = {
  review_id: string;
  query_id: string;
  status: string;
  kind: string;
  request: { items: Proposal[] };
};

export const FILES = {
  'docs/spec.md': '# Orders\n\nAn order is never deleted, only cancelled.\n',
  'docs/api.md': '# API\n\nGET /orders answers at most 50 orders.\n',
};
export const NOTES = {
  'docs/spec.md': 'Orders are never deleted but cancelled, because invoices refer to them.',
  'docs/api.md': 'GET /orders pages by 50.',
};
const proposals = {
  recommendations: [
    {
      path: 'docs/spec.md',
      recommended_layer: 'project',
      rationale: 'Every later change of orders depends on it.',
      suggested_memory_content: NOTES['docs/spec.md'],
      evidence: [{ lines: '3', quote: 'never deleted, only cancelled' }],
      confidence: 0.9,
    },
    {
      path: './docs/api.md',
      recommended_layer: 'domain_knowledge',
      rationale: 'Clients page by it.',
      suggested_memory_content: NOTES['docs/api.md'],
      evidence: [{ lines: '3', quote: 'at most 70 orders' }],
    },
    { path: '../secret.md', rationale: 'outside', suggested_memory_content: 'x' },
  ],
};
const ANSWER = `\`\`\`json\n${JSON.stringify(proposals)}\n\`\`\`\nTwo files.`;

/** What the main agent has been told so far, in order. */
export const told = ({ messages }: ChatRequest, text: string): boolean =>
  messages.some((m) => m.role === 'user' && m.content?.includes(text));
const results = ({ messages }: ChatRequest): number =>
  messages.filter((m) => m.role === 'tool').length;

/** `makes`: whether the coder writes its files. `silent`: requests of `remember` that are never answered. */
export async function world({ makes = true, silent = 0 } = {}) {
  let unanswered = silent;
  const provider = await startProvider((request) => {
    const system = request.messages[0]?.content ?? '';
    if (system.startsWith('role: remember')) {
      unanswered -= 1;
      return unanswered >= 0 ? 'silence' : { text: ANSWER };
    }
    if (system.startsWith('role: main')) {
      if (told(request, 'A person has decided'))
        return { text: 'Final answer after the decision.' };
      if (told(request, 'of your tasks ended')) return { text: 'Built.' };
      if (results(request) > 0) return { text: 'I wait.' };
      return { call: 'start_async_task', args: '{"subagent_type":"coder","description":"x"}' };
    }
    const next = Object.entries(makes ? FILES : {})[results(request)];
    if (!next) return { text: 'done' };
    const [path, content] = next;
    return { call: 'write', args: JSON.stringify({ path, content }) };
  });
  const env = {
    ...{ TROUPE_MODEL: 'openai:m', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url },
    TROUPE_TOPOLOGY: 'single',
  };
  return { provider, env };
}
export const ask = (troupe: Troupe, more: object) =>
  troupe.call<QueryView>('POST', '/v1/queries', {
    input: 'Build orders',
    project: 'shop',
    ...more,
  });
export const queryOf = (troupe: Troupe, id: string) =>
  troupe.call<QueryView>('GET', `/v1/queries/${id}`);
export const ended = (troupe: Troupe, id: string) =>
  until(
    async () => {
      const query = await troupe.call<QueryView>('GET', `/v1/queries/${id}?wait_ms=5000`);
      return !['queued', 'running', 'waiting'].includes(query.status) && query;
    },
    60_000,
    'the query ends',
  );
export const tasksOf = async (troupe: Troupe, id: string): Promise<string[]> => {
  const path = `/v1/tasks?query_id=${id}`;
  const { data } = await troupe.call<{ data: { subagent_type: string }[] }>('GET', path);
  return data.map((task) => task.subagent_type).sort();
};
export const reviewsOf = async (troupe: Troupe, more = ''): Promise<ReviewView[]> =>
  (await troupe.call<{ data: ReviewView[] }>('GET', `/v1/reviews?kind=memory${more}`)).data;
export const pending = (troupe: Troupe, id: string) =>
  until(
    async () => (await reviewsOf(troupe, '&status=pending')).find((r) => r.query_id === id),
    40_000,
    'the proposals are in the inbox',
  );
export const found = async (troupe: Troupe, q: string): Promise<MemoryRecord[]> => {
  const path = `/v1/memory?project=shop&q=${encodeURIComponent(q)}`;
  return (await troupe.call<{ data: MemoryRecord[] }>('GET', path)).data;
};
export const noticed = async (troupe: Troupe, id: string, state: string) =>
  until(
    async () =>
      (await troupe.events(`&query_id=${id}&kinds=notice`)).find((e) => e.state === state),
    40_000,
    `the notice ${state}`,
  );
export const approve = (troupe: Troupe, review_id: string) =>
  troupe.call('POST', `/v1/reviews/${review_id}`, { decision: 'approve' });

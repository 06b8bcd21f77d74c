// Questions that the stories of the workflows ask of a server.
import type { TroupeEvent } from '../../src/domain/event.ts';
import type { Troupe } from './troupe-server.ts';
import { until } from './until.ts';

export type QueryView = {
  query_id: string;
  status: string;
  answer: string | null;
  workdir: string;
  error: { code: string; message: string } | null;
};
export type Started = { task_id: string; subagent_type: string; status: string; depth: number };

export const ask = (troupe: Troupe, workflow: string, input: string): Promise<QueryView> =>
  troupe.call<QueryView>('POST', '/v1/queries', { input, workflow });

export const say = (troupe: Troupe, { query_id }: QueryView, text: string): Promise<QueryView> =>
  troupe.call<QueryView>('POST', `/v1/queries/${query_id}/messages`, { text });

export const ended = (troupe: Troupe, { query_id }: QueryView): Promise<QueryView> =>
  until(
    async () => {
      const query = await troupe.call<QueryView>('GET', `/v1/queries/${query_id}`);
      return ['completed', 'degraded', 'failed', 'cancelled'].includes(query.status) && query;
    },
    60_000,
    'the query ends',
  );

/** Oldest first, without the one that looks for what to remember at the end of a turn. */
export const tasksOf = async (troupe: Troupe, { query_id }: QueryView): Promise<Started[]> =>
  (await troupe.call<{ data: Started[] }>('GET', `/v1/tasks?query_id=${query_id}&limit=100`)).data
    .reverse()
    .filter((t) => t.subagent_type !== 'remember');

export const notes = (
  troupe: Troupe,
  { query_id }: QueryView,
  kind = 'workflow',
): Promise<TroupeEvent[]> => troupe.events(`&query_id=${query_id}&kinds=${kind}`);

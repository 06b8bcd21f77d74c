// What is spoken here, for clients that ask before they call.
import { AppError } from '../../../domain/errors.ts';
import { STRATEGIES } from '../../../domain/protocol.ts';
import { type App, onlyOf, type Protocol } from '../context.ts';
import { KEPT, STREAM_MODES } from '../run-request.ts';

export function infoRoutes(app: App, { deps, assistants }: Protocol): void {
  app.get('/info', async (request) => ({
    name: 'troupe',
    version: deps.version,
    protocols: { agent_protocol: '0.1.6', langgraph_sdk: '1.15' },
    assistants: assistants.list(onlyOf(request)).map(({ name }) => name),
    flags: {
      assistants: true,
      agents: true,
      threads: true,
      runs: true,
      store: true,
      stream_resumable: true,
      webhooks: true,
      crons: false,
      langsmith: false,
    },
    multitask_strategies: STRATEGIES,
    stream_modes: STREAM_MODES,
    /** Fields of a run that are kept and shown, and change nothing. */
    kept: KEPT,
    refused: ['interrupt_before', 'interrupt_after', 'checkpoint', 'checkpoint_id'],
  }));
  const noCrons = async (): Promise<never> => {
    throw new AppError(
      'not_found',
      'scheduled runs are not offered here; use a scheduler and POST /runs',
    );
  };
  for (const path of ['/runs/crons', '/runs/crons/*', '/threads/:thread_id/runs/crons'])
    app.post(path, noCrons);
}

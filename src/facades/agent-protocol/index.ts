// The Agent Protocol, put together: the same at the root, where everybody is an assistant, and below
// /roles/{role}, where that role is the only one.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { createLanes } from '../../domain/lanes.ts';
import { createAssistants } from './assistants.ts';
import { createBegin } from './begin.ts';
import { createCloseRun } from './close-run.ts';
import { onlyOf, type Protocol } from './context.ts';
import type { ProtocolDeps } from './deps.ts';
import { createDriver } from './driver.ts';
import { createProtocolErrors } from './errors.ts';
import { createRemoval } from './removal.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { infoRoutes } from './routes/info.ts';
import { runRoutes } from './routes/runs.ts';
import { storeRoutes } from './routes/store.ts';
import { threadStreamRoutes } from './routes/thread-stream.ts';
import { threadRoutes } from './routes/threads.ts';
import { createTeller } from './run-view.ts';
import { createRuns } from './runs.ts';
import { createThreads } from './threads.ts';

export type { ProtocolDeps };

/** First segments of every address below the root. */
export const ADDRESSES = ['threads', 'runs', 'assistants', 'agents', 'store', 'info'] as const;

export function createAgentProtocol(deps: ProtocolDeps) {
  const closing = new AbortController();
  const inLane = createLanes();
  const tell = createTeller(deps.webhooks);
  const close = createCloseRun(tell);
  const work = createBegin(deps, close);
  const driver = createDriver({ ...deps, inLane, work, close, tell });
  const threads = createThreads(deps, driver.wake);
  const runs = createRuns({ ...deps, inLane, driver, work, close, threads });
  const protocol: Protocol = {
    deps,
    assistants: createAssistants(() => deps.roles, deps.clock.now().toISOString()),
    threads,
    runs,
    driver,
    remove: createRemoval(deps, { inLane, work }),
    closing: closing.signal,
  };
  const routes = (app: FastifyInstance): void => {
    app.setErrorHandler(createProtocolErrors(deps.log));
    for (const add of [
      infoRoutes,
      assistantRoutes,
      threadRoutes,
      threadStreamRoutes,
      runRoutes,
      storeRoutes,
    ])
      add(app, protocol);
  };

  return {
    async mount(app: FastifyInstance): Promise<void> {
      // Readers are let go before the server stops listening.
      app.addHook('preClose', (done) => {
        closing.abort();
        done();
      });
      await app.register(async (inner) => routes(inner));
      await app.register(
        async (inner) => {
          inner.addHook('preHandler', async (request) => {
            const role = onlyOf(request) ?? '';
            if (protocol.assistants.list(role).length === 0)
              throw new AppError(
                'not_found',
                `no role "${role.slice(0, 100)}" here; GET /info has their names`,
              );
          });
          routes(inner);
          inner.get('/ok', { config: { scope: 'open' } }, async () => ({ ok: true }));
        },
        { prefix: '/roles/:role' },
      );
    },
    /** Takes up what was left by the process before. */
    open: driver.open,
    close(): void {
      closing.abort();
      driver.stop();
    },
  };
}

/** In its place when it is switched off: an answer that says so. */
export function agentProtocolOff(app: FastifyInstance): void {
  const off = async (): Promise<never> => {
    throw new AppError(
      'not_found',
      'the Agent Protocol is switched off here; agent_protocol = true under [facades] in config.toml switches it on',
    );
  };
  for (const name of [...ADDRESSES, 'roles']) {
    app.all(`/${name}`, off);
    app.all(`/${name}/*`, off);
  }
}

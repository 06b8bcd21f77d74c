// The application: door, error shape, hooks, plugins and routes put together. Listens to nothing yet,
// so that the OpenAPI document can be made without a port.
import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import websocket from '@fastify/websocket';
import fastify from 'fastify';
import { AppError } from '../domain/errors.ts';
import { newRequestId } from '../domain/ids.ts';
import { type Clock, type Log, systemClock } from '../domain/ports.ts';
import { createDoor } from './auth.ts';
import { useStrictJson } from './body.ts';
import type { App, Http } from './context.ts';
import { installCors } from './cors.ts';
import { docsRoutes } from './docs.ts';
import { createErrorHandler, problem, rawProblem, sendProblem, whereOf } from './errors.ts';
import type { IdempotencyPort } from './idempotency.ts';
import { HTTP_LIMITS, type HttpConfig, type HttpLimits } from './limits.ts';
import { createMethodTable } from './methods.ts';
import { createMetrics } from './metrics.ts';
import { documentOf, openApiOptions } from './openapi.ts';
import { createReaders } from './readers.ts';
import { brainRoutes } from './routes/brain.ts';
import { eventRoutes } from './routes/events.ts';
import { memoryRoutes } from './routes/memory.ts';
import { opsRoutes } from './routes/ops.ts';
import { queryRoutes } from './routes/queries.ts';
import { queryFileRoutes } from './routes/query-files.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { rolePromptRoutes } from './routes/role-prompts.ts';
import { roleRoutes } from './routes/roles.ts';
import { serverRoutes } from './routes/servers.ts';
import { subagentRoutes } from './routes/subagents.ts';
import { taskForensicsRoutes } from './routes/task-forensics.ts';
import { taskRoutes } from './routes/tasks.ts';
import { upkeepRoutes } from './routes/upkeep.ts';
import type { Services } from './services.ts';
import { compileLazily } from './validate.ts';
import { SUBPROTOCOL } from './websocket.ts';

export type HttpDeps = {
  services: Services;
  idempotency: IdempotencyPort;
  config: HttpConfig;
  log: Log;
  version: string;
  /** More routes on the same port (facades, the page); each registers itself. Same door, own errors if it likes. */
  mounts?: readonly ((app: App) => void | Promise<void>)[];
  clock?: Clock;
};
const REQUEST_ID = /^[\w.:-]{1,128}$/;

function createApp({ config, log }: HttpDeps, limits: HttpLimits): App {
  return fastify({
    logger: false,
    bodyLimit: config.body_limit,
    requestTimeout: limits.request_ms,
    connectionTimeout: limits.idle_ms,
    keepAliveTimeout: limits.keep_alive_ms,
    http: {
      headersTimeout: limits.headers_ms,
      connectionsCheckingInterval: limits.check_ms,
      // The door refuses a missing Host itself, in the shape of every other error.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 1_024 },
    return503OnClosing: false,
    genReqId: (raw) => {
      const given = raw.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    },
    frameworkErrors: createErrorHandler(log),
    clientErrorHandler(error, socket: Socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
      const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
      socket.end(rawProblem(status, 'this is not a request that HTTP/1.1 allows', newRequestId()));
    },
  }) as unknown as App;
}

function installHooks(app: App, { log }: HttpDeps, http: Http): void {
  const methods = createMethodTable();
  app.setErrorHandler(createErrorHandler(log));
  app.setValidatorCompiler(compileLazily as never);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.addHook('onRoute', (route) => methods.add(route.url, route.method));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.url.includes('%00'))
      throw new AppError('bad_request', 'a URL cannot have a NUL in it');
    if (http.closing.aborted && request.routeOptions.config.scope !== 'open')
      throw new AppError('shutting_down', 'the server is shutting down; try again in a moment');
  });
  app.addHook('onSend', async (_request, reply) => {
    if (http.closing.aborted) reply.header('connection', 'close');
  });
  http.door.install(app as never);
  installCors(app as never);
  // A body that may be left out is an empty object to its schema.
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && (request.body === undefined || request.body === null))
      request.body = {};
  });
  app.addHook('onResponse', async (request, reply) => {
    const { request_id, instance } = whereOf(request);
    http.metrics.answered(reply.statusCode, reply.elapsedTime / 1000);
    log.debug(
      { request_id, instance, method: request.method, status: reply.statusCode },
      'answered a request',
    );
  });
  app.setNotFoundHandler((request, reply) => {
    const where = whereOf(request);
    const allowed = methods.allowed(where.instance);
    if (allowed.length === 0) {
      const detail = `there is nothing at ${request.method} ${where.instance}; /docs lists every route`;
      return sendProblem(reply, problem({ code: 'not_found', detail }, where));
    }
    reply.header('allow', allowed.join(', '));
    const detail = `${request.method} is not allowed here; allowed: ${allowed.join(', ')}`;
    return sendProblem(reply, problem({ code: 'method_not_allowed', detail }, where));
  });
}

async function installPlugins(app: App, version: string, http: Http): Promise<void> {
  await app.register(swagger, openApiOptions(version));
  await app.register(websocket, {
    options: {
      maxPayload: http.limits.ws_payload,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    },
    // Readers are told and closed by close(), before the server stops listening.
    preClose: (done) => done(),
    // ws has sent its close code (1009 too large, 1007 not UTF-8) when the error arrives.
    errorHandler: (error, socket) => {
      http.log.debug({ err: error }, 'a WebSocket broke the protocol');
      setTimeout(() => socket.terminate(), http.limits.farewell_ms).unref();
    },
  });
}

/** Everything but listening. The document needs no more. */
export async function buildApp(
  deps: HttpDeps,
  closing: AbortSignal,
): Promise<{ app: App; http: Http }> {
  const { services, config, log, version } = deps;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...config.limits };
  const readers = createReaders();
  const http: Http = {
    services,
    idempotency: deps.idempotency,
    limits,
    readers,
    door: createDoor(config, limits.bad_keys_per_minute, deps.clock ?? systemClock),
    metrics: createMetrics(version, readers, () => services.supervisor.list()),
    closing,
    log,
    version,
  };
  const app = createApp(deps, limits);
  useStrictJson(app as never, limits.json_depth);
  // First the plugins: the door must know whether a request is an upgrade.
  await installPlugins(app, version, http);
  installHooks(app, deps, http);
  for (const routes of [
    opsRoutes,
    queryRoutes,
    queryFileRoutes,
    taskRoutes,
    taskForensicsRoutes,
    subagentRoutes,
    serverRoutes,
    roleRoutes,
    rolePromptRoutes,
    memoryRoutes,
    brainRoutes,
    reviewRoutes,
    eventRoutes,
    upkeepRoutes,
  ])
    routes(app, http);
  let made: object | null = null;
  const document = () => {
    made ??= documentOf(app);
    return made;
  };
  const hidden = { config: { scope: 'open' as const }, schema: { hide: true } };
  app.get('/openapi.json', hidden, async () => document());
  docsRoutes(app, document);
  for (const mount of deps.mounts ?? []) await app.register(async (inner) => mount(inner as App));
  await app.ready();
  return { app, http };
}

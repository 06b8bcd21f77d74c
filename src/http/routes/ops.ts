// Health, metrics and numbers. Health needs no key and says nothing about the work.
import Type from 'typebox';
import type { App, Http } from '../context.ts';
import { fails, json, other } from '../openapi.ts';
import { pageOf } from '../page.ts';

const tags = ['ops'];
const open = { config: { scope: 'open' as const } };
const anything = Type.Record(Type.String(), Type.Unknown());
const setting = Type.Object({
  key: Type.String({ description: 'Section and key in config.toml' }),
  value: Type.Unknown(),
  source: Type.String({ description: 'default, env NAME, a flag, or file and line' }),
  doc: Type.String(),
});
const readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  checks: Type.Record(
    Type.String(),
    Type.Object({ ok: Type.Boolean(), critical: Type.Boolean(), detail: Type.String() }),
  ),
});

export function opsRoutes(app: App, http: Http): void {
  const { services } = http;
  app.get(
    '/livez',
    {
      ...open,
      schema: {
        operationId: 'livez',
        summary: 'The event loop answers; nothing else is looked at',
        tags,
        security: [],
        response: { 200: json('Alive', Type.Object({ status: Type.Literal('ok') })), ...fails() },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      return { status: 'ok' };
    },
  );
  app.get(
    '/ok',
    {
      ...open,
      schema: {
        operationId: 'ok',
        summary: 'Alive, as Agent Protocol clients ask it',
        tags,
        security: [],
        response: { 200: json('Alive', Type.Object({ ok: Type.Literal(true) })), ...fails() },
      },
    },
    async () => ({ ok: true }),
  );
  for (const [url, operationId] of [
    ['/readyz', 'readyz'],
    ['/healthz', 'healthz'],
  ] as const)
    app.get(
      url,
      {
        ...open,
        schema: {
          operationId,
          summary: 'Ready for work; a check that is not critical never makes it 503',
          tags,
          security: [],
          response: {
            ...fails(),
            200: json('Ready', readiness),
            503: json('Not ready: the checks say why', readiness),
          },
        },
      },
      async (_request, reply) => {
        const { ok, checks } = services.ready();
        reply.code(ok ? 200 : 503).header('cache-control', 'no-store');
        return { status: ok ? 'ready' : 'not_ready', checks };
      },
    );
  numberRoutes(app, http);
}

function numberRoutes(app: App, http: Http): void {
  const { services, metrics } = http;
  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'metrics',
        summary: 'Prometheus text',
        tags,
        response: { 200: other('Metrics', 'text/plain', Type.String()), ...fails() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get(
    '/v1/status',
    {
      schema: {
        operationId: 'getStatus',
        summary: 'What the server is and how it is doing',
        tags,
        response: { 200: json('Status', anything), ...fails() },
      },
    },
    () => services.status(),
  );
  app.get(
    '/v1/limits',
    {
      schema: {
        operationId: 'getLimits',
        summary: 'Every limit, and how much of it is used',
        tags,
        response: { 200: json('Limits', anything), ...fails() },
      },
    },
    async () => services.limits(),
  );
  app.get(
    '/v1/config',
    {
      schema: {
        operationId: 'getConfig',
        summary: 'Every setting with its value and where that came from; secrets are masked',
        tags,
        response: { 200: json('All settings', pageOf(setting)), ...fails() },
      },
    },
    async () => ({ data: services.settings(), next_cursor: null }),
  );
}

// The page at /docs. Its plugin takes tens of milliseconds to load, so a small app of its own is built
// when somebody first looks; it shows the document that it is given and nothing else.
import type { FastifyInstance } from 'fastify';
import type { App } from './context.ts';

// Not the plugin's own policy: that one turns http into https and breaks the page on a plain address.
const CSP =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

async function buildDocsApp(document: object): Promise<FastifyInstance> {
  const [{ default: fastify }, { default: swagger }, { default: ui }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const app = fastify({ exposeHeadRoutes: false });
  // The document is an OpenAPI 3.1 one; the plugin's type only knows its own dialects.
  const specification = { document } as never;
  await app.register(swagger, { mode: 'static', specification });
  await app.register(ui, { routePrefix: '/docs', staticCSP: CSP });
  await app.ready();
  return app;
}

export function docsRoutes(app: App, document: () => object): void {
  let built: Promise<FastifyInstance> | null = null;
  const show = {
    config: { scope: 'open' as const },
    schema: { hide: true },
    exposeHeadRoute: false,
  };
  for (const url of ['/docs', '/docs/*'])
    app.get(url, show, async (request, reply) => {
      built ??= buildDocsApp(document());
      const docs = await built;
      reply.hijack();
      docs.routing(request.raw, reply.raw);
    });
  app.addHook('onClose', async () => {
    await (await built)?.close();
  });
}

// Lets the pages that allowed_origins names read the answers. The door has refused all others before.
import type { FastifyInstance } from 'fastify';

const EXPOSED =
  'location, content-location, link, retry-after, idempotency-replayed, preference-applied, x-request-id, x-pagination-next, x-pagination-total';

export function installCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    // Streams are written past the reply's own hooks; headers set here reach them too.
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED);
    reply.header('vary', 'origin');
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return;
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
      .header(
        'access-control-allow-headers',
        'authorization, content-type, idempotency-key, prefer, last-event-id, x-api-key, x-auth-scheme',
      )
      .header('access-control-max-age', '600')
      .send();
  });
}

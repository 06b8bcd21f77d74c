// The page at /: files that the build has made, under a policy that lets nothing in from elsewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { App } from './context.ts';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Names of what lies below `assets` change with its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export async function siteRoutes(app: App, root: string): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) return;
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, scope: 'open' };
    route.schema = { ...route.schema, hide: true };
  });
  await app.register(files, {
    root,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      reply.header('cache-control', /[/\\]assets[/\\]/.test(path) ? FOR_EVER : 'no-cache');
      reply.header('content-security-policy', CSP);
      reply.header('referrer-policy', 'no-referrer');
      reply.header('cross-origin-opener-policy', 'same-origin');
    },
  });
}

// A listening server over services in memory: what the HTTP tests talk to.
import { createHash } from 'node:crypto';
import { silentLog } from '../../src/domain/ports.ts';
import type { HttpDeps } from '../../src/http/app.ts';
import type { ApiKey, HttpConfig, Scope } from '../../src/http/limits.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { createFakes, type Fakes } from './fakes.ts';

export const apiKey = (name: string, text: string, scopes: Scope[]): ApiKey => ({
  name,
  scopes,
  sha256: createHash('sha256').update(text).digest('hex'),
});

export async function startWorld(
  options: {
    config?: Partial<HttpConfig>;
    mounts?: HttpDeps['mounts'];
    change?(fakes: Fakes): void;
  } = {},
) {
  const fakes = createFakes();
  options.change?.(fakes);
  const server = createHttpServer({
    services: fakes.services,
    idempotency: fakes.idempotency,
    log: silentLog,
    version: '0.0.0-test',
    ...(options.mounts ? { mounts: options.mounts } : {}),
    config: {
      host: '127.0.0.1',
      port: 0,
      api_keys: [],
      allowed_hosts: [],
      allowed_origins: [],
      body_limit: 1_048_576,
      ...options.config,
    },
  });
  const { port } = await server.listen();
  const url = `http://127.0.0.1:${port}`;
  const json = { 'content-type': 'application/json' };
  return {
    ...fakes,
    server,
    port,
    url,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers }),
    post: (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    close: () => server.close(),
  };
}
export type World = Awaited<ReturnType<typeof startWorld>>;

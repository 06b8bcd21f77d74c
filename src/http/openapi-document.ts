// The document on its own, for the file in the repository and the test that holds it in step.
import { silentLog } from '../domain/ports.ts';
import { buildApp } from './app.ts';
import type { IdempotencyPort } from './idempotency.ts';
import { documentOf } from './openapi.ts';
import type { Services } from './services.ts';

/** Builds the routes without services (none is called), reads their schemas, and closes again. */
export async function openApiDocument(version: string): Promise<object> {
  const { app } = await buildApp(
    {
      services: {} as Services,
      idempotency: {} as IdempotencyPort,
      config: {
        host: '127.0.0.1',
        port: 0,
        api_keys: [],
        allowed_hosts: [],
        allowed_origins: [],
        body_limit: 1_048_576,
      },
      log: silentLog,
      version,
    },
    new AbortController().signal,
  );
  const document = documentOf(app);
  await app.close();
  return document;
}

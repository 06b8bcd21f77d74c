// What every route file gets: the services behind the surface and the few things they share.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Log } from '../domain/ports.ts';
import type { KeyDoor } from './auth.ts';
import type { IdempotencyPort } from './idempotency.ts';
import type { HttpLimits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Readers } from './readers.ts';
import type { Services } from './services.ts';

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type Http = {
  services: Services;
  idempotency: IdempotencyPort;
  limits: HttpLimits;
  readers: Readers;
  door: KeyDoor;
  metrics: Metrics;
  /** Fires when the server closes: waits end, readers are told. */
  closing: AbortSignal;
  log: Log;
  version: string;
};

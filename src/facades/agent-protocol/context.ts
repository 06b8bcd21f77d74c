// What every route file gets, and the small things that they share.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProtocolRun, ProtocolThread } from '../../domain/protocol.ts';
import type { Assistants } from './assistants.ts';
import type { ProtocolDeps } from './deps.ts';
import type { Driver } from './driver.ts';
import type { Runs } from './runs.ts';
import type { Threads } from './threads.ts';

export type Protocol = {
  deps: ProtocolDeps;
  assistants: Assistants;
  threads: Threads;
  runs: Runs;
  driver: Driver;
  remove(thread: ProtocolThread): Promise<void>;
  /** Fires when the server closes. */
  closing: AbortSignal;
};
export type App = FastifyInstance;

type Params = { role?: string; thread_id?: string; run_id?: string };
export const paramsOf = (request: FastifyRequest): Params => request.params as Params;
/** The role whose own address was asked; null: the root. */
export const onlyOf = (request: FastifyRequest): string | null => paramsOf(request).role ?? null;

/** Of one key in a query string: none, one or many. */
export const listOf = (value: unknown): string[] | undefined => {
  if (value === undefined || value === '') return undefined;
  return (Array.isArray(value) ? value : [value]).flatMap((text) => String(text).split(','));
};
/** `1` and `true` as clients write them. */
export const isSet = (value: unknown): boolean => value === '1' || value === 'true';

/** Where the run is, for clients: below the address that they were given, whatever stands before it. */
export function tellWhere(reply: FastifyReply, run: ProtocolRun, stream = false): void {
  const path = `/threads/${run.thread_id}/runs/${run.run_id}`;
  reply.header('content-location', path);
  if (stream) reply.header('location', `${path}/stream`);
}

export const threadOf = (protocol: Protocol, request: FastifyRequest): Promise<ProtocolThread> =>
  protocol.threads.find(paramsOf(request).thread_id ?? '');
/** The run in the address, on its thread where the address names one. */
export const runOf = (protocol: Protocol, request: FastifyRequest): Promise<ProtocolRun> => {
  const { run_id = '', thread_id } = paramsOf(request);
  return protocol.runs.find(run_id, thread_id);
};
/** Reading by POST needs no more than reading. */
export const READ = { config: { scope: 'read' as const } };

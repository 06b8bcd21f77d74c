// The messages between main and a role server: loopback HTTP/1.1, JSON, NDJSON where it streams.
// Main → child calls carry the server token; child → main calls carry the run token of one run.
import { createHmac } from 'node:crypto';

export const WIRE_VERSION = 1;
/** First line of the child's stdin; after it nothing is sent, and its end means that main is gone. */
export type Lifeline = {
  v: number;
  instance: string;
  role: string;
  /** Public id of this start, in events and rows. */
  server_id: string;
  /** Secret: proves that an answer comes from the process that main started. */
  nonce: string;
  server_token: string;
  main_url: string;
  bind: { host: string; port: number };
  limits: { max_concurrent_runs: number; cancel_deadline_ms: number };
};
/** The one line the child writes to fd 3 when it listens. */
export type ReadyLine = { v: number; port: number; pid: number; nonce_proof: string };
/** `GET /health` */
export type Health = {
  role: string;
  pid: number;
  build: string;
  nonce_proof: string;
  active_runs: number;
  rss: number;
};

/** Bytes of the lifeline and of the ready line, and of any one message. */
export const LINE_LIMIT = 64 * 1024;
export const MESSAGE_LIMIT = 8 * 1024 * 1024;

/** `what`: `ready:<pid>:<port>` on fd 3, `health:<challenge>` for the header x-troupe-challenge. */
export const proof = (nonce: string, what: string): string =>
  createHmac('sha256', nonce).update(what).digest('hex');

/** Environment variables that mark everything an instance starts. Values are ids, not secrets. */
export const MARK_INSTANCE = 'TROUPE_INSTANCE';
export const MARK_SERVER = 'TROUPE_SERVER';

/** Child → main, all POST with the run token. `/internal/model` answers NDJSON of ModelChunk. */
export const INTERNAL = {
  model: '/internal/model',
  steps: '/internal/steps',
  tools: '/internal/tools',
  tasks: '/internal/tasks',
  policy: '/internal/policy',
  memory: '/internal/memory',
  brain: '/internal/brain',
  ask: '/internal/ask',
  progress: '/internal/progress',
  result: '/internal/result',
} as const;

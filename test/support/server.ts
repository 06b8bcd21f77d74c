// A server in a process of its own, started as people start it, and the few calls that a test makes of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { until } from './until.ts';

/** A server that is not up by then never will be. */
const START_MS = 30_000;
/** The product's own drain and kill, and room for a slow machine. */
const STOP_MS = 30_000;
/** Longest wait for one answer. */
const ANSWER_MS = 60_000;
/** Lines of output that are kept for the message of a failure. */
const KEPT_LINES = 500;

export type Answer<T> = { status: number; headers: Record<string, unknown>; body: T };
export type Exit = { code: number | null; signal: NodeJS.Signals | null };
export type Server = {
  url: string;
  pid: number;
  /** Last lines of stdout and stderr. */
  output(): string;
  /** JSON in and out, whatever the status is. */
  ask<T>(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** The body of a 2xx; throws, with the answer, on anything else. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** SIGTERM, then how it ended; killed after 30 s. Any number of times. */
  stop(): Promise<Exit>;
  kill(): Promise<Exit>;
};
export type ServerAsk = {
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  /** Sent as bearer token with every call. */
  key?: string;
};

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

function keepLines(child: ChildProcess): string[] {
  const kept: string[] = [];
  for (const stream of [child.stdout, child.stderr] as Readable[])
    createInterface({ input: stream }).on('line', (line) => {
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
    });
  return kept;
}

/** Resolves when it has printed where it listens; rejects, with its output, when it ends before. */
export async function startServer({ args, env, cwd, uid, key }: ServerAsk): Promise<Server> {
  const child = spawn(process.execPath, args, {
    ...{ env, cwd: cwd ?? process.cwd(), stdio: ['ignore', 'pipe', 'pipe'] },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const lines = keepLines(child);
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as Exit);
  const end = async (by: NodeJS.Signals): Promise<Exit> => {
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill(by);
    return await ended.finally(() => clearTimeout(late));
  };
  const listening = (): string | undefined => {
    const said = lines.join('\n');
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`ended with ${child.exitCode ?? child.signalCode}:\n${said}`);
    return /listening on (http:\/\/\S+)/.exec(said)?.[1];
  };
  const url = await until(listening, START_MS, 'the server says where it listens').catch(
    async (error: unknown) => {
      await end('SIGKILL');
      throw error;
    },
  );
  const dispatcher = new Agent({ connections: 128, headersTimeout: ANSWER_MS });
  const auth: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };

  async function ask<T>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const sent = body ? { body: JSON.stringify(body) } : {};
    const type = body ? { 'content-type': 'application/json' } : {};
    const answer = await request(`${url.replace('//0.0.0.0:', '//127.0.0.1:')}${path}`, {
      ...{ method, dispatcher, ...sent },
      headers: { ...auth, ...type, ...headers },
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body: json(text) as T };
  }
  return {
    ...{ url, pid: child.pid ?? 0, ask },
    output: () => lines.join('\n'),
    async call<T>(method: string, path: string, body?: object): Promise<T> {
      const answer = await ask<T>(method, path, body);
      if (answer.status < 300) return answer.body;
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    async stop() {
      await dispatcher.destroy();
      return await end('SIGTERM');
    },
    async kill() {
      await dispatcher.destroy();
      return await end('SIGKILL');
    },
  };
}

/** The environment for the built product: the echo model, any port, nothing of the user's own settings. */
export const productEnv = (state_dir: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: state_dir, TROUPE_STATE_DIR: state_dir },
  ...{ TROUPE_PORT: '0', TROUPE_MODEL: 'echo', TROUPE_LOG_LEVEL: 'warn', ...env },
});

/** The built product, in the checkout or where it was laid out. The caller stops it. */
export const startTroupe = (
  state_dir: string,
  env: NodeJS.ProcessEnv = {},
  root = '.',
): Promise<Server> =>
  startServer({ args: [join(root, 'dist/bin/server.js')], env: productEnv(state_dir, env) });

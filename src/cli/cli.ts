// What every command gets: the terminal, the road to the server, and the local functions that bin injects.
// Types and the choice of the server's address; no command lives here.
import { readFileSync } from 'node:fs';
import type { Problem } from '../config/problem.ts';
import type { GcAsk, GcReport } from '../domain/retention.ts';
import type { Client } from './client.ts';
import { CliError, EXIT } from './exit.ts';
import type { Streams, Terminal } from './terminal.ts';

export type Env = Readonly<Record<string, string | undefined>>;
/** `level`: `fail` makes doctor exit 1. `fix`: the sentence that says what to do, empty when ok. */
export type Check = { name: string; level: 'ok' | 'warn' | 'fail'; found: string; fix: string };
export type RoleView = {
  name: string;
  description: string;
  model: string;
  /** null: listed, for all. */
  visible_to: readonly string[] | null;
} & Record<string, unknown>;
/** Command-line flags that change the configuration; only those that were given. */
export type ConfigFlags = {
  config?: string;
  host?: string;
  port?: string;
  stateDir?: string;
  model?: string;
  topology?: string;
  maxSubagents?: string;
  maxIterations?: string;
  logLevel?: string;
};

/** A value of the configuration or of a role, secrets masked, with where it comes from. */
export type Shown = { key: string; value: unknown; source: string };
/** `text`: the problems as people read them; empty when there is none. */
export type ConfigCheck = {
  file: string | null;
  problems: readonly Problem[];
  warnings: readonly Problem[];
  text: string;
};

export type Restored = { file: string; from: string; kept: string | null; schema_version: number };

/** What works without a server; composed in bin so that the other commands stay fast. */
export type Local = {
  /** Serves until it is stopped; the exit code. */
  serve(flags: ConfigFlags): Promise<number>;
  checkConfig(flags: ConfigFlags): Promise<ConfigCheck>;
  /** This and the two below throw AppError `config_invalid` with every problem in its message. */
  showConfig(flags: ConfigFlags): Promise<Shown[]>;
  roles(flags: ConfigFlags): Promise<RoleView[]>;
  /** Every field of one role; throws AppError `unknown_role` with the known names. */
  role(name: string, flags: ConfigFlags): Promise<Shown[]>;
  doctor(flags: ConfigFlags): Promise<Check[]>;
  /** On the state folder of a stopped server; throws AppError `storage_unusable` when one uses it. */
  gc(stateDir: string, ask: GcAsk): Promise<GcReport>;
  /** The same; also when the file is no backup of this program, damaged, or newer. */
  restore(file: string, stateDir: string): Promise<Restored>;
};

export type CliDeps = {
  env: Env;
  cwd: string;
  version: string;
  streams: Streams;
  /** Ctrl-C. Returns the function that ends the listening. */
  onInterrupt(listener: () => void): () => void;
  local: Local;
};

export type Cli = {
  term: Terminal;
  json: boolean;
  deps: CliDeps;
  /** --url or TROUPE_URL is given: nothing local stands in for that server. */
  explicitUrl: boolean;
  /** The client of this invocation, made on the first call. */
  connect(): Promise<Client>;
};

export type Globals = { json?: boolean; url?: string };
/** Runs one command: prints what it throws, remembers its exit code. */
export type Run = (work: (cli: Cli) => Promise<number>) => Promise<void>;

/** --url, else TROUPE_URL, else host and port as the server itself would read them from the environment. */
export function serverUrl(url: string | undefined, env: Env): string {
  const named = url ?? (env.TROUPE_URL || undefined);
  if (named !== undefined) return named;
  const host = env.TROUPE_HOST || '127.0.0.1';
  const port = env.TROUPE_PORT && env.TROUPE_PORT !== '0' ? env.TROUPE_PORT : '8787';
  // A server that listens everywhere is reached through loopback.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export function apiKey(env: Env): string | null {
  const { TROUPE_API_KEY: key, TROUPE_API_KEY_FILE: file } = env;
  if (key && file)
    throw new CliError(
      EXIT.usage,
      'two_keys',
      'TROUPE_API_KEY and TROUPE_API_KEY_FILE are both set',
      'unset one of them',
    );
  if (!file) return key || null;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(EXIT.usage, 'key_file', `cannot read TROUPE_API_KEY_FILE: ${why}`);
  }
}

// The product under fault: a copy of the build, kept running on one state folder. Whenever main has ended it is
// started again at once, until it is stopped for good.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The whole drain and kill of the product, and room for a busy machine. */
const STOP_MS = 40_000;
const KEPT_LINES = 40;
/** A product that ends again and again by itself needs no nemesis. */
const MOST_SURPRISES = 5;

const CONFIG = `[server]
log_level = "warn"
[subagents]
idle_ttl_s = 2
probe_every_s = 1
probe_misses = 4
`;

export type Life = {
  pid: number;
  /** Monotonic ms. */
  spawned_at: number;
  listening_at: number | null;
};
export type Product = {
  data: string;
  /** Where it listens at this moment, or null. */
  url(): string | null;
  /** The main of this moment, or null between two. */
  life(): Life | null;
  /** How often main was started; longest time from spawn to listening, ms. */
  starts(): { count: number; slowest_ms: number };
  /** Markers of all instances so far. */
  instances(): string[];
  /** The next end of main is our doing: by this signal, or with exit code 0. */
  expectEnd(how: 'SIGKILL' | 0): void;
  /** Called at each end of main. */
  onEnd(listener: () => void): void;
  /** Ends that nobody brought about; after a few of them it is not started any more. */
  surprises: string[];
  givenUp(): boolean;
  /** SIGTERM; the exit code, or the signal that was needed. */
  stop(): Promise<number | string | null>;
  /** Last resort, nothing is told. */
  abandon(): void;
  output(): string;
};

function copyBuild(folder: string): string {
  const root = join(folder, 'product');
  mkdirSync(root);
  for (const part of ['dist', 'roles', 'package.json'])
    cpSync(part, join(root, part), { recursive: true, preserveTimestamps: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  return root;
}

export function keepRunning(folder: string, max_subagents: number): Product {
  const root = copyBuild(folder);
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(folder, 'config.toml'), CONFIG);
  const logFile = join(folder, 'server.log');
  const instances = new Set<string>();
  const lines: string[] = [];
  const surprises: string[] = [];
  let child: ChildProcess | null = null;
  let life: Life | null = null;
  let url: string | null = null;
  let stopping = false;
  let expected: 'SIGKILL' | 0 | null = null;
  let count = 0;
  let slowest_ms = 0;
  const listeners: (() => void)[] = [];

  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: tmpdir(), TROUPE_MODEL: 'echo' },
    ...{ TROUPE_HOST: '127.0.0.1', TROUPE_PORT: '0', TROUPE_STATE_DIR: data },
    ...{ TROUPE_CONFIG: join(folder, 'config.toml'), MAX_SUBAGENTS: String(max_subagents) },
  };
  function noteInstance(): void {
    try {
      instances.add(readFileSync(join(data, 'instance'), 'utf8').trim());
    } catch {
      // killed before it wrote one
    }
  }
  function said(line: string, its: Life): void {
    appendFileSync(logFile, `${line}\n`);
    lines.push(line.slice(0, 500));
    if (lines.length > KEPT_LINES) lines.shift();
    const found = /^troupe listening on (http:\/\/\S+)/.exec(line)?.[1];
    if (found === undefined || life !== its) return;
    its.listening_at = performance.now();
    slowest_ms = Math.max(slowest_ms, its.listening_at - its.spawned_at);
    noteInstance();
    url = found;
  }
  function start(): void {
    // A process group of its own: only what is told to end does.
    const main = spawn(process.execPath, [join(root, 'dist/bin/server.js')], {
      ...{ cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const its: Life = { pid: main.pid ?? 0, spawned_at: performance.now(), listening_at: null };
    child = main;
    life = its;
    expected = null;
    count += 1;
    for (const stream of [main.stdout, main.stderr] as Readable[])
      createInterface({ input: stream }).on('line', (line) => said(line, its));
    main.once('exit', (code, signal) => {
      life = null;
      url = null;
      noteInstance();
      for (const listener of listeners) listener();
      if (stopping) return;
      const how = code ?? signal;
      if (how !== expected && how !== 'SIGKILL')
        surprises.push(`main ended with ${how}, not ${expected}\n${lines.join('\n')}`);
      if (expected === null) surprises.push(`main ended by itself: ${how}\n${lines.join('\n')}`);
      if (surprises.length < MOST_SURPRISES) start();
    });
  }
  start();
  const abandon = (): void => {
    stopping = true;
    child?.kill('SIGKILL');
  };
  process.once('exit', abandon);

  return {
    data,
    url: () => url,
    life: () => life,
    starts: () => ({ count, slowest_ms: Math.round(slowest_ms) }),
    instances: () => [...instances],
    expectEnd(how) {
      expected = how;
    },
    onEnd: (listener) => void listeners.push(listener),
    surprises,
    givenUp: () => surprises.length >= MOST_SURPRISES,
    async stop() {
      stopping = true;
      const main = child as ChildProcess;
      if (main.exitCode !== null || main.signalCode !== null) return main.exitCode;
      const gone = once(main, 'exit');
      const late = setTimeout(() => main.kill('SIGKILL'), STOP_MS);
      main.kill('SIGTERM');
      const [code, signal] = (await gone) as [number | null, string | null];
      clearTimeout(late);
      return code ?? signal;
    },
    abandon,
    output: () => lines.join('\n'),
  };
}

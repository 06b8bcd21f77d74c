// The built product in a folder of its own, with the questions that the stories ask of it. Ended after the test.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import type { ServerInfo } from '../../src/domain/ports.ts';
import { sweep } from '../../src/launch/sweep.ts';
import { layOut } from './laid-out.ts';
import { marked, type Process } from './process-table.ts';
import { type Server, startTroupe as startBuilt } from './server.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export type TaskView = {
  task_id: string;
  query_id: string;
  status: string;
  waiting: string | null;
  result: string | null;
  partial_output: string;
  error: { code: string; message: string; reasons: string[] } | null;
  attempts: { agent_id: string; ordinal: number; status: string; role: string }[];
};

export type Troupe = Server & {
  folder: string;
  start(role: string, description: string): Promise<TaskView>;
  task(id: string): Promise<TaskView>;
  /** Waits until the task has ended, at most a minute. */
  ended(id: string): Promise<TaskView>;
  servers(): Promise<ServerInfo[]>;
  /** All events; `filter` is more of the query string: `&kinds=server`. */
  events(filter?: string): Promise<TroupeEvent[]>;
  /** Everything that this instance has started and that is alive. */
  family(): Process[];
};
export type StartOptions = {
  env?: Record<string, string>;
  /** Text of a config.toml. */
  config?: string;
  /** Start again in the folder of an earlier one. */
  folder?: string;
  /** A file in place of the worker. */
  worker?: string;
};

function laidOut(folder: string, worker: string): string {
  const root = join(folder, 'product');
  if (!existsSync(root)) {
    mkdirSync(root);
    layOut(root, worker);
  }
  return root;
}

export async function startTroupe(options: StartOptions = {}): Promise<Troupe> {
  const folder = options.folder ?? tempFolder();
  const env = { ...options.env };
  if (options.config) {
    env.TROUPE_CONFIG = join(folder, 'config.toml');
    writeFileSync(env.TROUPE_CONFIG, options.config);
  }
  const server = await startBuilt(folder, env, options.worker && laidOut(folder, options.worker));
  const instance = readFileSync(join(folder, 'instance'), 'utf8').trim();
  onTestFinished(async () => {
    await server.kill();
    // A red test must not leave processes behind.
    await sweep(`TROUPE_INSTANCE=${instance}`);
  });
  const { call } = server;
  return {
    ...server,
    folder,
    start: (subagent_type, description) =>
      call<TaskView>('POST', '/v1/tasks', { subagent_type, description }),
    task: (id) => call<TaskView>('GET', `/v1/tasks/${id}`),
    ended: (id) =>
      until(
        async () => {
          const task = await call<TaskView>('GET', `/v1/tasks/${id}?wait_ms=20000`);
          return ['completed', 'failed', 'cancelled'].includes(task.status) && task;
        },
        60_000,
        `the end of task ${id}`,
      ),
    servers: async () => (await call<{ data: ServerInfo[] }>('GET', '/v1/servers')).data,
    async events(filter = '') {
      const all: TroupeEvent[] = [];
      for (;;) {
        const path = `/v1/events?after=${all.at(-1)?.seq ?? 0}&limit=1000${filter}`;
        const { data } = await call<{ data: TroupeEvent[] }>('GET', path);
        all.push(...data);
        if (data.length < 1000) return all;
      }
    },
    family: () => marked('TROUPE_INSTANCE', instance),
  };
}

/** An echo description that makes the agent run a shell command. */
export const shellTask = (command: string): string =>
  `[[tool shell ${JSON.stringify({ command, timeout_s: 600 })}]] done`;

// A tool context over a fresh working folder, and the tools by name.
import { realpathSync } from 'node:fs';
import type { RunHost, TaskAnswer, TaskCall } from '../../src/domain/run.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/domain/tool.ts';
import { roleTools } from '../../src/tools/index.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const noHost: RunHost = {
  async *model() {},
  async step() {},
  async toolStarted() {},
  async tasks() {
    return { ok: false, code: 'not_found', message: 'no tasks here' };
  },
  async policy() {},
  memory: async () => ({ ok: false, code: 'not_found', message: 'no memory here' }),
  brain: async () => ({ ok: false, code: 'not_found', message: 'no memory here' }),
  ask: async () => ({ ok: false, code: 'not_found', message: 'nobody here' }),
  progress() {},
  async result() {},
};

export const hostOfTasks = (answer: (call: TaskCall) => TaskAnswer): RunHost => ({
  ...noHost,
  tasks: async (call) => answer(call),
});

export type Kit = ReturnType<typeof toolKit>;

export function toolKit(given: Partial<ToolContext> = {}) {
  const workdir = realpathSync(tempFolder());
  let calls = 0;
  const run_id = `run-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tools = roleTools({ PATH: process.env.PATH });
  const context = (): ToolContext => {
    calls += 1;
    return {
      workdir,
      run_id,
      call_id: `call_${calls}`,
      signal: new AbortController().signal,
      host: noHost,
      result_limit: 30_000,
      tool_timeout_s: 20,
      tool_timeout_max_s: 60,
      fetch_allow: [],
      markers: { TROUPE_INSTANCE: 'test' },
      untimed: (work) => work(),
      progress() {},
      ...given,
    };
  };
  const tool = (name: string): Tool => {
    const found = tools.find((t) => t.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = (
    name: string,
    args: Record<string, unknown>,
    more: Partial<ToolContext> = {},
  ): Promise<ToolResult> => tool(name).run(args, { ...context(), ...more });
  const endRun = async (): Promise<string[]> => (await tool('shell').endRun?.(run_id)) ?? [];
  return { workdir, run_id, tools, context, call, endRun };
}

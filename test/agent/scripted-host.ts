// A RunHost that plays a script of model answers and writes down every call, in order.
import { realpathSync } from 'node:fs';
import type { AgentRun } from '../../src/agent/agent-run.ts';
import { createSteerQueue } from '../../src/agent/steer-queue.ts';
import {
  type FinishReason,
  type ModelChunk,
  type ModelRequest,
  noUsage,
} from '../../src/domain/message.ts';
import type { PolicyNote } from '../../src/domain/policy.ts';
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import type {
  Envelope,
  RunHost,
  RunOutcome,
  StepDelta,
  TaskAnswer,
  TaskCall,
  ToolReceipt,
  ToolStart,
} from '../../src/domain/run.ts';
import type { Tool, ToolResult } from '../../src/domain/tool.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type Turn = {
  text?: string;
  reasoning?: string;
  calls?: [name: string, args: unknown, id?: string][];
  finish?: FinishReason;
  /** Who answers; `test:one` when nothing is said. */
  model?: string;
  error?: Extract<ModelChunk, { type: 'error' }>;
  /** Streams this, then waits for the abort. */
  hang?: boolean;
};
export type HostCall =
  | { op: 'model'; request: ModelRequest }
  | { op: 'step'; delta: StepDelta; receipts: ToolReceipt[] }
  | { op: 'started'; start: ToolStart }
  | { op: 'tasks'; call: TaskCall }
  | { op: 'policy'; note: PolicyNote }
  | { op: 'result'; outcome: RunOutcome; last: StepDelta | null };

const usage = { ...noUsage(), input_tokens: 10, output_tokens: 5, model_calls: 1 };

export function scriptedHost(
  script: Turn[] | ((n: number, request: ModelRequest) => Turn),
  tasks: (call: TaskCall, n: number) => TaskAnswer | Promise<TaskAnswer> = () => ({
    ok: true,
    op: 'join',
    ended: [],
    open: [],
  }),
) {
  const calls: HostCall[] = [];
  const activities: string[] = [];
  let models = 0;
  let made = 0;
  const host: RunHost = {
    async *model(request, signal) {
      calls.push({ op: 'model', request: structuredClone(request) });
      const turn = Array.isArray(script) ? script[models] : script(models, request);
      models += 1;
      if (!turn) throw new Error('the script is over');
      for (const piece of turn.text?.match(/.{1,3}/gsu) ?? []) yield { type: 'text', text: piece };
      if (turn.reasoning) yield { type: 'reasoning', text: turn.reasoning };
      if (turn.hang)
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
          if (signal.aborted) resolve();
        });
      for (const [name, args, id] of turn.calls ?? []) {
        made += 1;
        const json = typeof args === 'string' ? args : JSON.stringify(args);
        yield { type: 'tool_call', call: { id: id ?? `c${made}`, name, arguments: json } };
      }
      if (turn.error) {
        yield turn.error;
        return;
      }
      const finish = turn.finish ?? (turn.calls ? 'tool_calls' : 'stop');
      yield { type: 'end', finish, model: turn.model ?? 'test:one', usage };
    },
    async step(delta, receipts) {
      calls.push({ op: 'step', delta, receipts });
    },
    async toolStarted(start) {
      calls.push({ op: 'started', start });
    },
    async tasks(call) {
      calls.push({ op: 'tasks', call });
      return tasks(call, calls.filter((c) => c.op === 'tasks').length);
    },
    async policy(note) {
      calls.push({ op: 'policy', note });
    },
    memory: async () => ({ ok: false, code: 'not_found', message: 'no memory here' }),
    brain: async () => ({ ok: false, code: 'not_found', message: 'no memory here' }),
    ask: async () => ({ ok: false, code: 'not_found', message: 'nobody here' }),
    progress({ activity }) {
      activities.push(activity);
    },
    async result(outcome, last) {
      calls.push({ op: 'result', outcome, last });
    },
  };
  const of = <K extends HostCall['op']>(op: K) =>
    calls.filter((c): c is Extract<HostCall, { op: K }> => c.op === op);
  return {
    host,
    calls,
    activities,
    of,
    ops: () => calls.map((c) => c.op).join(' '),
    outcome: (): RunOutcome => {
      const [only, ...more] = of('result');
      if (!only || more.length > 0) throw new Error('not exactly one result');
      return only.outcome;
    },
    /** Everything that was checkpointed, in order. */
    stored: () =>
      calls.flatMap((c) =>
        c.op === 'step'
          ? c.delta.messages
          : c.op === 'started'
            ? (c.start.step?.messages ?? [])
            : c.op === 'result'
              ? (c.last?.messages ?? [])
              : [],
      ),
    steps: () =>
      calls.flatMap((c) =>
        c.op === 'step' ? [c.delta.step] : c.op === 'started' ? [c.start.step?.step] : [],
      ),
  };
}
export type Scripted = ReturnType<typeof scriptedHost>;

/** A tool that answers with what `run` gives and keeps its arguments. */
export function fakeTool(
  name: string,
  run: (args: Record<string, unknown>, n: number) => Partial<ToolResult> | string = () => 'done',
): Tool & { seen: Record<string, unknown>[] } {
  const seen: Record<string, unknown>[] = [];
  return {
    name,
    description: `the ${name} tool`,
    parameters: { type: 'object', properties: { x: { type: 'integer' } }, required: [] },
    seen,
    async run(args) {
      seen.push(args);
      const given = run(args, seen.length);
      const result = typeof given === 'string' ? { content: given } : given;
      return { ok: true, content: '', summary: `${name} did it`, ...result };
    },
  };
}

export const limits = {
  max_iterations: 50,
  result_limit: 30_000,
  tool_timeout_s: 10,
  tool_timeout_max_s: 60,
  timeout_s: 0,
  fetch_allow: [],
  compact: null,
};

export function agentRun(scripted: Scripted, more: Partial<AgentRun> = {}) {
  const steering = createSteerQueue();
  const control = new AbortController();
  const run: AgentRun = {
    run_id: `run-${process.pid}-${Math.random().toString(36).slice(2)}`,
    role: 'coder',
    model: 'default',
    prompt: 'You are a test.',
    messages: [{ role: 'user', content: 'do it' }],
    workdir: realpathSync(tempFolder()),
    language: null,
    tools: [],
    chain: [],
    host: scripted.host,
    limits,
    signal: control.signal,
    steering,
    first_step: 0,
    begun: { iterations: 0, answers: 0 },
    markers: {},
    log: silentLog,
    clock: systemClock,
    ...more,
  };
  return { run, steering, control };
}

export const envelope = (more: Partial<Envelope> = {}): Envelope => ({
  v: 1,
  run_id: `run-${process.pid}-${Math.random().toString(36).slice(2)}`,
  thread_id: 'thread',
  agent_id: 'sa_000000000000',
  query_id: 'query',
  role: 'coder',
  run_token: 'token',
  messages: [{ role: 'user', content: 'do it' }],
  prompt: 'You are a test.',
  model: 'default',
  tools: ['read', 'write', 'shell'],
  spawn: { may_start: [], depth: 1, max_depth: 2, status: 'DEPTH_1' },
  workdir: realpathSync(tempFolder()),
  memory_block: '',
  language: null,
  output_schema: null,
  limits,
  first_step: 0,
  begun: { iterations: 0, answers: 0 },
  ...more,
});

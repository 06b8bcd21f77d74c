// What a middleware is, and how a chain of them becomes one. The order of the chain is the order of the work.
import type { ReplyLanguage } from '../domain/language.ts';
import type { Message, ModelRequest, ToolSpec, Usage } from '../domain/message.ts';
import type { Log } from '../domain/ports.ts';
import type { RunHost, RunLimits, RunOutcome } from '../domain/run.ts';
import type { ToolResult } from '../domain/tool.ts';

export type CheckedCall = { id: string; name: string; args: Record<string, unknown> };

/** One run as its middlewares see it. */
export type RunContext = {
  run_id: string;
  role: string;
  workdir: string;
  /** What the final text has to be written in; null: nobody can tell. */
  language: ReplyLanguage | null;
  host: RunHost;
  signal: AbortSignal;
  limits: RunLimits;
  log: Log;
  /** `asked` for, and the one that `answered` last (null before the first answer). */
  model: { asked: string; answered: string | null };
  /** The thread without the system prompt; read only. */
  messages: readonly Message[];
  /** These outcomes are in the messages that come next: they are never announced again. */
  deliver(task_ids: readonly string[]): void;
  /** Makes what is new in the thread durable, before a long wait. */
  checkpoint(): Promise<void>;
  /** A sentence under the final text. */
  note(text: string): void;
  /** Model steps and tokens of this run so far; whether older turns of its thread are summarised. */
  spent(): { steps: number; usage: Usage; compacted: boolean };
};

export type Middleware = {
  name: string;
  toolSpecs?(specs: ToolSpec[]): ToolSpec[];
  /** May change the request (a copy for this one call). */
  beforeModel?(ctx: RunContext, request: ModelRequest): void | Promise<void>;
  /** The model has answered with nothing, also after a reminder: true when the next request goes to another one. */
  onEmpty?(ctx: RunContext, model: string): boolean;
  wrapTool?(
    ctx: RunContext,
    call: CheckedCall,
    next: (call: CheckedCall) => Promise<ToolResult>,
  ): Promise<ToolResult>;
  /** After each round of tools, their results durable. Null: the run goes on with the model. */
  afterTools?(ctx: RunContext): Promise<Answered | null>;
  /** `final`: the run may end. Messages: it goes on with them. */
  beforeFinal?(ctx: RunContext): Promise<'final' | Message[]>;
};

/** The answer of a run that the runtime has made itself. `ending`: how the run ends with it. */
export type Answered = {
  text: string;
  ending: Pick<RunOutcome, 'status' | 'end_reason' | 'error'>;
};

export type Chain = {
  toolSpecs(specs: ToolSpec[]): ToolSpec[];
  beforeModel(ctx: RunContext, request: ModelRequest): Promise<void>;
  onEmpty(ctx: RunContext, model: string): boolean;
  callTool(
    ctx: RunContext,
    call: CheckedCall,
    run: (call: CheckedCall) => Promise<ToolResult>,
  ): Promise<ToolResult>;
  afterTools(ctx: RunContext): Promise<Answered | null>;
  beforeFinal(ctx: RunContext): Promise<'final' | Message[]>;
};

export const composeChain = (list: readonly Middleware[]): Chain => ({
  toolSpecs: (specs) => list.reduce((left, m) => m.toolSpecs?.(left) ?? left, specs),
  async beforeModel(ctx, request) {
    for (const m of list) await m.beforeModel?.(ctx, request);
  },
  onEmpty: (ctx, model) => list.some((m) => m.onEmpty?.(ctx, model) ?? false),
  callTool(ctx, call, run) {
    const from = (i: number, c: CheckedCall): Promise<ToolResult> => {
      const m = list[i];
      if (!m) return run(c);
      return m.wrapTool ? m.wrapTool(ctx, c, (next) => from(i + 1, next)) : from(i + 1, c);
    };
    return from(0, call);
  },
  async afterTools(ctx) {
    for (const m of list) {
      const answered = await m.afterTools?.(ctx);
      if (answered) return answered;
    }
    return null;
  },
  async beforeFinal(ctx) {
    for (const m of list) {
      const verdict = (await m.beforeFinal?.(ctx)) ?? 'final';
      if (verdict !== 'final') return verdict;
    }
    return 'final';
  },
});

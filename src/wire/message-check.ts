// Checks what a role server sends, by hand: cheap, and strict enough that main never trips over a shape.
import type { BrainCall } from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import type { MemoryCall } from '../domain/memory.ts';
import type { ModelRequest } from '../domain/message.ts';
import { POLICY_NAMES, type PolicyNote } from '../domain/policy.ts';
import type { AskCall } from '../domain/review.ts';
import type {
  Progress,
  RunOutcome,
  StepDelta,
  TaskCall,
  ToolReceipt,
  ToolStart,
} from '../domain/run.ts';

/** One answer to a wait comes within this; the child asks again. Longer would look like a dead main. */
export const MAX_WAIT_MS = 30_000;

type Fields = Record<string, unknown>;
function bad(what: string): never {
  throw new AppError('bad_request', `malformed message: ${what}`);
}
function object(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    bad(`${name}: no object`);
  return value as Fields;
}
function list(value: unknown, name: string): unknown[] {
  return Array.isArray(value) ? value : bad(`${name}: no list`);
}
function texts(fields: Fields, ...names: string[]): void {
  for (const name of names) if (typeof fields[name] !== 'string') bad(`${name}: no text`);
}
function whole(value: unknown, name: string): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : bad(name);
}
function checkMessages(value: unknown): void {
  for (const one of list(value, 'messages')) {
    const message = object(one, 'message');
    texts(message, 'role', 'content');
    if (message.summary !== undefined) checkSummary(message.summary);
    if (message.role === 'tool') texts(message, 'tool_call_id', 'tool_name');
    if (message.tool_calls !== undefined) list(message.tool_calls, 'tool_calls').forEach(checkCall);
  }
}
function checkSummary(value: unknown): void {
  const summary = object(value, 'summary');
  texts(summary, 'text', 'by', 'why');
  for (const name of ['tail', 'count', 'before_tokens', 'after_tokens']) whole(summary[name], name);
  if (summary.clip !== null) whole(summary.clip, 'clip');
  for (const name of ['said', 'open_tasks'])
    for (const one of list(summary[name], name)) if (typeof one !== 'string') bad(name);
}
function checkCall(value: unknown): void {
  texts(object(value, 'tool call'), 'id', 'name', 'arguments');
}
function checkDelta(value: unknown): StepDelta {
  const delta = object(value, 'step');
  whole(delta.step, 'step');
  checkMessages(delta.messages);
  for (const id of list(delta.delivered, 'delivered'))
    if (typeof id !== 'string') bad('delivered: no text');
  return delta as StepDelta;
}
const deltaOrNull = (value: unknown): StepDelta | null =>
  value === null || value === undefined ? null : checkDelta(value);

export function checkStep(body: unknown): { delta: StepDelta; receipts: ToolReceipt[] } {
  const { delta, receipts } = object(body, 'body');
  for (const one of list(receipts, 'receipts'))
    texts(object(one, 'receipt'), 'id', 'name', 'summary');
  return { delta: checkDelta(delta), receipts: receipts as ToolReceipt[] };
}

export function checkToolStart(body: unknown): ToolStart {
  const start = object(object(body, 'body').start, 'start');
  list(start.calls, 'calls').forEach(checkCall);
  return { step: deltaOrNull(start.step), calls: start.calls as ToolStart['calls'] };
}

export function checkModel(body: unknown): ModelRequest {
  const request = object(object(body, 'body').request, 'request');
  texts(request, 'model');
  if (request.after !== undefined) texts(request, 'after');
  if (request.purpose !== undefined && request.purpose !== 'summary') bad('purpose');
  checkMessages(request.messages);
  for (const one of list(request.tools, 'tools')) texts(object(one, 'tool'), 'name', 'description');
  return request as ModelRequest;
}

export function checkProgress(body: unknown): Progress {
  const progress = object(object(body, 'body').progress, 'progress');
  texts(progress, 'activity');
  return { activity: (progress.activity as string).slice(0, 500) };
}

const STATUSES: unknown[] = ['completed', 'failed', 'cancelled'];
export function checkResult(body: unknown): { outcome: RunOutcome; last: StepDelta | null } {
  const { outcome: given, last } = object(body, 'body');
  const outcome = object(given, 'outcome');
  if (!STATUSES.includes(outcome.status)) bad('outcome.status');
  texts(outcome, 'end_reason', 'text');
  object(outcome.usage, 'usage');
  list(outcome.background_left, 'background_left');
  if (outcome.error !== null) texts(object(outcome.error, 'error'), 'code', 'message');
  return { outcome: outcome as RunOutcome, last: deltaOrNull(last) };
}

export function checkTaskCall(body: unknown): TaskCall {
  const call = object(object(body, 'body').call, 'call');
  const wait = (): number => Math.min(MAX_WAIT_MS, whole(call.wait_ms, 'wait_ms'));
  switch (call.op) {
    case 'start':
      texts(call, 'call_id', 'subagent_type', 'description');
      if (call.output_schema !== undefined) object(call.output_schema, 'output_schema');
      return call as TaskCall;
    case 'update':
      texts(call, 'call_id', 'task_id', 'message');
      return call as TaskCall;
    case 'cancel':
      texts(call, 'task_id');
      return call as TaskCall;
    case 'check_result':
      texts(call, 'text');
      return call as TaskCall;
    case 'list':
      if (call.status !== null) texts(call, 'status');
      return call as TaskCall;
    case 'check':
      texts(call, 'task_id');
      return { op: 'check', task_id: call.task_id as string, wait_ms: wait() };
    case 'join':
      return { op: 'join', wait_ms: wait() };
    default:
      return bad('op');
  }
}

const textOrNull = (fields: Fields, name: string): string | null => {
  if (fields[name] === null || fields[name] === undefined) return null;
  texts(fields, name);
  return fields[name] as string;
};

export function checkMemoryCall(body: unknown): MemoryCall {
  const call = object(object(body, 'body').call, 'call');
  switch (call.op) {
    case 'store':
      texts(call, 'call_id', 'content', 'layer');
      for (const tag of list(call.tags, 'tags')) if (typeof tag !== 'string') bad('tags');
      return call as MemoryCall;
    case 'search':
      texts(call, 'query');
      return {
        op: 'search',
        query: call.query as string,
        layer: textOrNull(call, 'layer'),
        n: Math.max(1, whole(call.n, 'n')),
      };
    case 'correct':
      texts(call, 'call_id', 'record_id', 'replacement');
      return {
        ...(call as Extract<MemoryCall, { op: 'correct' }>),
        reason: textOrNull(call, 'reason'),
      };
    default:
      return bad('op');
  }
}

export function checkBrainCall(body: unknown): BrainCall {
  const call = object(object(body, 'body').call, 'call');
  if (call.op === 'query')
    return { op: 'query', query: textOrNull(call, 'query'), branch: textOrNull(call, 'branch') };
  if (call.op !== 'record') bad('op');
  texts(call, 'call_id', 'note');
  return call as BrainCall;
}

export function checkAskCall(body: unknown): AskCall {
  const call = object(object(body, 'body').call, 'call');
  texts(call, 'call_id');
  if (call.kind === 'question') {
    texts(call, 'question');
    for (const option of list(call.options, 'options'))
      if (typeof option !== 'string') bad('options: no text');
  } else if (call.kind === 'approval') texts(call, 'action', 'detail', 'subject');
  else bad('kind');
  const wait_ms = Math.min(MAX_WAIT_MS, whole(call.wait_ms, 'wait_ms'));
  return { ...(call as AskCall), wait_ms };
}

export function checkPolicy(body: unknown): PolicyNote {
  const note = object(object(body, 'body').note, 'note');
  texts(note, 'policy', 'action', 'reason');
  if (!(POLICY_NAMES as readonly unknown[]).includes(note.policy)) bad('policy: unknown');
  if (!['retry', 'fallback', 'stop'].includes(note.action as string)) bad('action: unknown');
  whole(note.attempt, 'attempt');
  return note as PolicyNote;
}

// Answers with the last human text and obeys the directives in it. A pure function of the messages, and cheap:
// conformance tests and benchmarks run on it, so nothing here may cost more than reading the text once.
import type { Message, ModelChunk, ToolCall, Usage } from '../domain/message.ts';
import { pause } from '../resilience/retry.ts';
import type { Provider } from './provider.ts';

export type EchoStep = {
  /** Milliseconds before the answer. */
  delay_ms: number;
  end: 'answer' | 'fail';
  text: string;
  calls: ToolCall[];
};

type Directive =
  | { kind: 'delay'; ms: number }
  | { kind: 'fail' }
  | { kind: 'tool'; name: string; arguments: string };

/** Where the JSON object that begins at `from` ends (exclusive), or -1 when it never does. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return -1;
}

/** Asks the person, as any agent does. */
const INTERRUPT: Directive = {
  kind: 'tool',
  name: 'ask_user',
  arguments: '{"question":"echo was told to stop here; what now?"}',
};

/** The directive at `[[`, and where it ends; null when it is only text. */
function directiveAt(text: string, at: number): { found: Directive; end: number } | null {
  const simple = /^\[\[(?:delay=(\d{1,7})|(fail)|(interrupt))\]\]/.exec(text.slice(at, at + 24));
  if (simple) {
    const end = at + simple[0].length;
    if (simple[1] !== undefined) return { found: { kind: 'delay', ms: Number(simple[1]) }, end };
    return { found: simple[2] ? { kind: 'fail' } : INTERRUPT, end };
  }
  const tool = /^\[\[tool ([\w.-]{1,64})\s*/.exec(text.slice(at, at + 128));
  if (!tool) return null;
  const from = at + tool[0].length;
  const whole = text[from] === '{' ? objectEnd(text, from) : from;
  // JSON that never ends is passed on as it stands: a test of broken arguments needs a way to make them.
  const close = text.indexOf(']]', whole < 0 ? from : whole);
  if (close < 0) return null;
  const json = text.slice(from, close).trim() || '{}';
  return { found: { kind: 'tool', name: tool[1] ?? '', arguments: json }, end: close + 2 };
}

function parse(text: string): { rest: string; directives: Directive[] } {
  let rest = '';
  let from = 0;
  const directives: Directive[] = [];
  for (let at = text.indexOf('[['); at >= 0; at = text.indexOf('[[', from)) {
    const directive = directiveAt(text, at);
    rest += text.slice(from, directive ? at : at + 2);
    from = directive?.end ?? at + 2;
    if (directive) directives.push(directive.found);
  }
  return { rest: (rest + text.slice(from)).trim(), directives };
}

const isHuman = (m: Message): m is Extract<Message, { role: 'user' }> =>
  m.role === 'user' && m.kind !== 'notice';

/** What a person has said to its questions is human text too. */
const answersIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((m) => (m.role === 'tool' && m.tool_name === 'ask_user' ? [m.content] : []));

/** What echo does next. A delay before the first tool belongs to the tool step, one after it to the answer. */
export function echoStep(messages: readonly Message[]): EchoStep {
  const at = messages.findLastIndex(isHuman);
  const text = at < 0 ? '' : (messages[at]?.content ?? '');
  if (!text.includes('[[')) return { delay_ms: 0, end: 'answer', text: text || 'ok', calls: [] };
  const { rest, directives } = parse(text);
  const firstTool = directives.findIndex((d) => d.kind === 'tool');
  const called = messages.slice(at + 1).some((m) => m.role === 'assistant' && m.tool_calls?.length);
  const toolStep = firstTool >= 0 && !called;
  const mine = directives.filter((d, i) => d.kind === 'tool' || i > firstTool !== toolStep);
  const delay_ms = mine.reduce((sum, d) => sum + (d.kind === 'delay' ? d.ms : 0), 0);
  if (mine.some((d) => d.kind === 'fail')) return { delay_ms, end: 'fail', text: rest, calls: [] };
  if (!toolStep) {
    const said = [rest, ...answersIn(messages.slice(at + 1))].filter(Boolean).join('\n');
    return { delay_ms, end: 'answer', text: said || 'ok', calls: [] };
  }
  const calls = directives.flatMap((d, i) =>
    d.kind === 'tool'
      ? [{ id: `echo_${messages.length}_${i}`, name: d.name, arguments: d.arguments }]
      : [],
  );
  return { delay_ms, end: 'answer', text: '', calls };
}

const USAGE: Usage = Object.freeze({
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null,
  model_calls: 1,
});
const FAILURE = 'echo was told to fail: the text holds [[fail]]';

export const echoProvider: Provider = {
  name: 'echo',
  place: 'inproc',
  problem: null,
  async *stream({ messages }, signal): AsyncGenerator<ModelChunk> {
    const step = echoStep(messages);
    if (step.delay_ms > 0 && !(await pause(step.delay_ms, signal)))
      return yield { type: 'error', code: 'model_error', message: 'cancelled' };
    if (step.end === 'fail') return yield { type: 'error', code: 'model_error', message: FAILURE };
    if (step.text !== '') yield { type: 'text', text: step.text };
    for (const call of step.calls) yield { type: 'tool_call', call };
    const finish = step.calls.length > 0 ? 'tool_calls' : 'stop';
    yield { type: 'end', finish, model: 'echo', usage: { ...USAGE } };
  },
};

// The three wire forms as model servers speak them: the same events, each in its own words.
import { json, type Script } from '../support/upstream.ts';
import type { Body } from './bytes.ts';

/** Arguments as the pieces in which a server streams them. */
export type WireCall = { id: string; name: string; pieces: string[] };
export type Ending = {
  reason?: 'stop' | 'calls' | 'length';
  input?: number;
  cached?: number;
  output?: number;
};
export type Form = {
  name: string;
  model: string;
  /** Paths that are answered beside the conversation. */
  beside: Record<string, Script>;
  /** Texts and calls of one whole answer. */
  body(texts: string[], calls: WireCall[], ending?: Ending): Body;
  /** The same without its end. */
  open(texts: string[]): Body;
  /** An answer that turns into an error after a text. */
  spoilt(text: string, message: string): Body;
  error(status: number, message: string, headers?: Record<string, string>): Script;
  overflow: Script;
};

const sse = (events: object[], named: boolean): Buffer =>
  Buffer.from(
    events
      .map(
        (e) =>
          `${named ? `event: ${(e as { type: string }).type}\n` : ''}data: ${JSON.stringify(e)}\n\n`,
      )
      .join(''),
  );
const EVENTS = 'text/event-stream';

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason }],
});
const openAiCalls = (calls: WireCall[]): object[] =>
  calls.flatMap(({ id, name, pieces }, index) => [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ]);
const openAi: Form = {
  name: 'OpenAI',
  model: 'openai:m',
  beside: {},
  body(texts, calls, { reason, input = 11, cached = 0, output = 7 } = {}) {
    const finish = { stop: 'stop', calls: 'tool_calls', length: 'length' }[
      reason ?? (calls.length > 0 ? 'calls' : 'stop')
    ];
    const usage = {
      ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const events = [
      ...texts.map((content) => chunk({ content })),
      ...openAiCalls(calls),
      chunk({}, finish),
      { ...chunk({}), choices: [], usage },
    ];
    return {
      type: EVENTS,
      bytes: Buffer.concat([sse(events, false), Buffer.from('data: [DONE]\n\n')]),
    };
  },
  open: (texts) => ({
    type: EVENTS,
    bytes: sse(
      texts.map((content) => chunk({ content })),
      false,
    ),
  }),
  spoilt: (content, message) => ({
    type: EVENTS,
    bytes: sse([chunk({ content }), { error: { message, code: 529 } }], false),
  }),
  error: (status, message, headers = {}) => json(status, { error: { message } }, headers),
  overflow: json(400, {
    error: {
      message: "This model's maximum context length is 8192 tokens. Your messages have 9000.",
      code: 'context_length_exceeded',
    },
  }),
};

const begin = (input: number, cached: number) => ({
  type: 'message_start',
  message: {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 },
  },
});
const block = (index: number, content_block: object, deltas: object[]): object[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const textBlock = (texts: string[]): object[] =>
  texts.length === 0
    ? []
    : block(
        0,
        { type: 'text', text: '' },
        texts.map((text) => ({ type: 'text_delta', text })),
      );
const anthropic: Form = {
  name: 'Anthropic',
  model: 'anthropic:claude-x',
  beside: {},
  body(texts, calls, { reason, input = 11, cached = 0, output = 7 } = {}) {
    const stop_reason = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' }[
      reason ?? (calls.length > 0 ? 'calls' : 'stop')
    ];
    const tools = calls.flatMap(({ id, name, pieces }, i) =>
      block(
        texts.length > 0 ? i + 1 : i,
        { type: 'tool_use', id, name, input: {} },
        pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    );
    const end = {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: output },
    };
    const events = [
      begin(input, cached),
      ...textBlock(texts),
      ...tools,
      end,
      { type: 'message_stop' },
    ];
    return { type: EVENTS, bytes: sse(events, true) };
  },
  open: (texts) => ({ type: EVENTS, bytes: sse([begin(1, 0), ...textBlock(texts)], true) }),
  spoilt: (text, message) => ({
    type: EVENTS,
    bytes: sse(
      [
        begin(1, 0),
        ...textBlock([text]),
        { type: 'error', error: { type: 'overloaded_error', message } },
      ],
      true,
    ),
  }),
  error: (status, message, headers = {}) =>
    json(status, { type: 'error', error: { type: 'api_error', message } }, headers),
  overflow: json(400, {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
  }),
};

const lines = (rows: object[]): Body => ({
  type: 'application/x-ndjson',
  bytes: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
});
const said = (message: object) => ({
  model: 'm',
  message: { role: 'assistant', content: '', ...message },
  done: false,
});
/** Ollama sends arguments whole, as an object; what is none comes from servers in front of it, as text. */
function whole(pieces: string[]): unknown {
  const text = pieces.join('');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
const ollama: Form = {
  name: 'Ollama',
  model: 'ollama:m',
  beside: { '/api/show': json(200, { capabilities: ['completion', 'tools'] }) },
  body(texts, calls, { reason = 'stop', input = 11, output = 7 } = {}) {
    const end = {
      ...said({}),
      ...{ done: true, done_reason: reason === 'length' ? 'length' : 'stop' },
      ...{ prompt_eval_count: input, eval_count: output },
    };
    const tool_calls = calls.map(({ id, name, pieces }) => ({
      id,
      function: { name, arguments: whole(pieces) },
    }));
    return lines([
      ...texts.map((content) => said({ content })),
      ...(tool_calls.length > 0 ? [said({ tool_calls })] : []),
      end,
    ]);
  },
  open: (texts) => lines(texts.map((content) => said({ content }))),
  spoilt: (content, message) => lines([said({ content }), { error: message }]),
  error: (status, message, headers = {}) => json(status, { error: message }, headers),
  overflow: json(400, { error: 'the input length exceeds the context length' }),
};

export const FORMS: readonly Form[] = [openAi, anthropic, ollama];

// What a run may be asked, field by field: honoured, kept beside the run and shown, or refused by name. Nothing that
// a caller sends is dropped in silence.
import Type, { type Static } from 'typebox';
import { AppError } from '../../domain/errors.ts';
import { STRATEGIES } from '../../domain/protocol.ts';
import { isJson, type Json, readInput } from './messages.ts';

const optional = Type.Optional;
const any = () => optional(Type.Unknown());
const record = () =>
  optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]));
const oneOf = <const T extends readonly string[]>(words: T) =>
  optional(Type.Unsafe<T[number] | null>({ enum: [...words, null] }));

export const STREAM_MODES = [
  'values',
  'updates',
  'messages',
  'messages-tuple',
  'custom',
  'checkpoints',
  'tools',
  'lifecycle',
] as const;
export type StreamMode = (typeof STREAM_MODES)[number];
/** Modes of the LangGraph world that say how a graph is computed: there is none here. */
const OTHER_MODES = ['events', 'debug', 'tasks'];

/** Seconds; a month. */
const LONGEST_DELAY = 2_592_000;

export const RunBody = Type.Object(
  {
    assistant_id: optional(Type.String()),
    agent_id: optional(Type.String()),
    thread_id: optional(Type.Union([Type.String(), Type.Null()])),
    input: any(),
    messages: any(),
    command: record(),
    metadata: record(),
    config: record(),
    context: any(),
    stream_mode: any(),
    stream_subgraphs: any(),
    stream_resumable: any(),
    feedback_keys: any(),
    langsmith_tracer: any(),
    strict_resume: any(),
    checkpoint_during: any(),
    durability: oneOf(['sync', 'async', 'exit']),
    interrupt_before: any(),
    interrupt_after: any(),
    checkpoint: any(),
    checkpoint_id: any(),
    webhook: optional(Type.Union([Type.String(), Type.Null()])),
    multitask_strategy: oneOf(STRATEGIES),
    on_completion: oneOf(['delete', 'keep', 'complete', 'continue']),
    on_disconnect: oneOf(['cancel', 'continue']),
    after_seconds: optional(
      Type.Union([Type.Number({ minimum: 0, maximum: LONGEST_DELAY }), Type.Null()]),
    ),
    if_not_exists: oneOf(['create', 'reject']),
  },
  { additionalProperties: false },
);
export type RunAsk = Static<typeof RunBody>;

/** For `/info` and the documentation. */
export const KEPT = [
  ...(['config', 'context', 'durability', 'checkpoint_during', 'stream_resumable'] as const),
  ...(['stream_subgraphs', 'feedback_keys', 'langsmith_tracer', 'strict_resume'] as const),
];

const refuse = (what: string): never => {
  throw new AppError('bad_request', what);
};

export function modesOf(given: unknown, fallback: StreamMode[] = ['values']): StreamMode[] {
  if (given === undefined || given === null || given === '') return fallback;
  const list = (Array.isArray(given) ? given : [given]).map(String);
  for (const mode of list)
    if (!(STREAM_MODES as readonly string[]).includes(mode)) {
      const why = OTHER_MODES.includes(mode) ? 'is not offered here' : 'is not known';
      refuse(`stream_mode "${mode}" ${why}; offered: ${STREAM_MODES.join(', ')}`);
    }
  return list.length === 0 ? fallback : (list as StreamMode[]);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Checks what the schema cannot, and answers the request as it is kept. */
export function checkRun(ask: RunAsk, limit: number): { request: Json; resume: boolean } {
  for (const key of ['interrupt_before', 'interrupt_after'] as const)
    if (!isEmpty(ask[key]))
      refuse(`${key} is not offered: an agent stops for a person when it asks one (ask_user)`);
  for (const key of ['checkpoint', 'checkpoint_id'] as const)
    if (!isEmpty(ask[key]))
      refuse(`${key} is not offered for runs: a run goes on from the end of its thread`);
  const configurable = ask.config?.configurable;
  if (isJson(configurable) && !isEmpty(configurable.checkpoint_id))
    refuse(
      'config.configurable.checkpoint_id is not offered: a run goes on from the end of its thread',
    );
  modesOf(ask.stream_mode);
  const command = ask.command ?? {};
  for (const key of Object.keys(command))
    if (key !== 'resume' && !isEmpty(command[key]))
      refuse(`command.${key} is not offered; offered: command.resume`);
  const resume = command.resume !== undefined;
  if (ask.input && ask.messages) refuse('give the messages in input or beside it, not both');
  const input = ask.messages ? { messages: ask.messages } : ask.input;
  if (resume && !isEmpty(input)) refuse('give input or command.resume, not both');
  if (!resume) {
    const { text } = readInput(input);
    const bytes = Buffer.byteLength(text);
    if (bytes > limit) refuse(`the message has ${bytes} bytes; at most ${limit} are allowed`);
  }
  const { assistant_id, agent_id, thread_id, metadata, messages, ...rest } = ask;
  return { request: { ...rest, input: input ?? null }, resume };
}

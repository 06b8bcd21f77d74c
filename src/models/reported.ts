// What a stream has said of its tokens so far, in the words of its protocol: it counts when the stream breaks off
// before its end. Pure.
import type { Tokens } from './usage.ts';

type Loose = Record<string, unknown>;
const record = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? (value as Loose) : {};
const count = (...values: unknown[]): number | undefined =>
  values.find((value): value is number => typeof value === 'number');

/** `raw`: one event as it came. Anthropic tells of the input at the start; others of everything in the last chunk. */
export function reportedIn(raw: unknown, before: Tokens | null): Tokens | null {
  const event = record(raw);
  const usage = record(event.usage ?? record(event.message).usage);
  const input = count(usage.input_tokens, usage.prompt_tokens);
  const output = count(usage.output_tokens, usage.completion_tokens);
  if (input === undefined && output === undefined) return before;
  const cached = count(usage.cache_read_input_tokens) ?? 0;
  const created = count(usage.cache_creation_input_tokens) ?? 0;
  return {
    ...before,
    ...(input === undefined ? {} : { input: input + cached + created, cached }),
    ...(output === undefined ? {} : { output }),
  };
}

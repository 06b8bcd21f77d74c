// What a provider said about a failure, in one sentence that is safe to show: no key, no prompt, no password.

import type { Hide } from './hide-keys.ts';
import { saysTooLong } from './overflow.ts';
import { ProviderFailure } from './provider.ts';

/** Characters of a provider's own words that are passed on. */
const MOST_WORDS = 400;

export type Said = {
  spec: string;
  status: number | null;
  message: string;
  /** The whole body, when there is one: it may hold a code that the message lacks. Never shown. */
  body?: string;
  retry_after?: string | null;
  /** There was no answer, or its connection broke; else the provider itself said so in the middle of a stream. */
  lost?: boolean;
};

export function failureOf(said: Said, hide: Hide): ProviderFailure {
  const { spec, status, body = '', retry_after = null } = said;
  const words = hide(said.message).replace(/\s+/g, ' ').trim().slice(0, MOST_WORDS);
  const whole = `${said.message} ${body.slice(0, 10_000)}`;
  if (status !== 401 && status !== 429 && saysTooLong(whole))
    return new ProviderFailure('overflow', `the conversation is too long for ${spec}: ${words}`, {
      status,
    });
  if (status === null)
    return said.lost
      ? new ProviderFailure('network', `${spec} cannot be reached or broke off: ${words}`)
      : new ProviderFailure('answer', `${spec} broke off: ${words}`);
  const refused = status === 400 && /content_filter|content_policy/.test(body);
  const kind = refused ? 'refused' : 'answer';
  return new ProviderFailure(kind, `${spec} answered ${status}: ${words}`, { status, retry_after });
}

// What went wrong at a provider, in one sentence that is safe to show: no key, no prompt, no address with a password.
import { ProviderFailure } from './provider.ts';

/** Characters of a provider's own words that are passed on. */
const MOST_WORDS = 400;

type Loose = Record<string, unknown>;
const isRecord = (value: unknown): value is Loose => typeof value === 'object' && value !== null;

/** Removes the key itself and whatever looks like one (providers quote it back, masked or not). */
export const withoutKey = (text: string, key: string | null): string =>
  (key ? text.replaceAll(key, '[key]') : text)
    .replace(/\b(?:sk|pk|key)-[\w*.…-]{4,}/g, '[key]')
    .replace(/\bBearer\s+\S+/gi, 'Bearer [key]')
    .replace(/(https?:\/\/)[^/\s@]+@/g, '$1');

function httpStatus(error: Loose): number | null {
  for (const value of [error.statusCode, error.status, error.code])
    if (typeof value === 'number' && value >= 400 && value < 600) return value;
  return null;
}

/** Turns what the SDK throws or streams as an error into a failure of `spec`. */
export function toFailure(error: unknown, spec: string, key: string | null): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const loose: Loose = isRecord(error) ? error : { message: String(error) };
  const status = httpStatus(loose);
  const words = withoutKey(String(loose.message ?? 'no reason given'), key)
    .replace(/\s+/g, ' ')
    .slice(0, MOST_WORDS);
  const headers = isRecord(loose.responseHeaders) ? loose.responseHeaders : {};
  const retry_after = typeof headers['retry-after'] === 'string' ? headers['retry-after'] : null;
  if (status === null) {
    // An error inside a stream that began well: the provider gave up in the middle.
    const inside = loose.type !== undefined || loose.code !== undefined;
    const what =
      inside && !(error instanceof Error) ? 'broke off' : 'cannot be reached or broke off';
    return new ProviderFailure('network', `${spec} ${what}: ${words}`, { cause: error });
  }
  const body = typeof loose.responseBody === 'string' ? loose.responseBody : '';
  const refused = status === 400 && /content_filter|content_policy/.test(body);
  return new ProviderFailure(
    refused ? 'refused' : 'answer',
    `${spec} answered ${status}: ${words}`,
    { status, retry_after, cause: error },
  );
}

// Errors of the AI SDK, thrown or streamed, as failures of a provider.
import type { Hide } from './hide-keys.ts';
import { ProviderFailure } from './provider.ts';
import { failureOf } from './provider-words.ts';

type Loose = Record<string, unknown>;
const isRecord = (value: unknown): value is Loose => typeof value === 'object' && value !== null;

/** Anthropic names the status of an error inside a stream by its type. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  authentication_error: 401,
  api_error: 500,
};

function httpStatus(error: Loose): number | null {
  for (const value of [error.statusCode, error.status, error.code]) {
    const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && number >= 400 && number < 600) return number;
  }
  return STATUS_OF_TYPE[String(error.type)] ?? null;
}

/** Without the error itself as a cause: it holds the request, and with it the prompt. */
export function toFailure(error: unknown, spec: string, hide: Hide): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const loose: Loose = isRecord(error) ? error : { message: String(error) };
  const headers = isRecord(loose.responseHeaders) ? loose.responseHeaders : {};
  // An error inside a stream that began well has a type or a code of its provider.
  const inside = loose.type !== undefined || loose.code !== undefined;
  return failureOf(
    {
      spec,
      status: httpStatus(loose),
      message: String(loose.message ?? 'no reason given'),
      body:
        typeof loose.responseBody === 'string'
          ? loose.responseBody
          : JSON.stringify(loose.code ?? ''),
      retry_after: typeof headers['retry-after'] === 'string' ? headers['retry-after'] : null,
      lost: !inside || error instanceof Error,
    },
    hide,
  );
}

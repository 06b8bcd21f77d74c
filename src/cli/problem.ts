// Turns what went wrong between here and the server into one readable sentence. Pure.
import { CliError, EXIT, exitOfHttp } from './exit.ts';

type Problem = {
  title?: unknown;
  detail?: unknown;
  code?: unknown;
  errors?: unknown;
  request_id?: unknown;
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function items(errors: unknown): string {
  if (!Array.isArray(errors)) return '';
  const lines = errors.slice(0, 20).map((e: unknown) => {
    const { path, message } = (e ?? {}) as { path?: unknown; message?: unknown };
    return `\n  ${[asText(path), asText(message)].filter(Boolean).join(': ')}`;
  });
  return lines.join('');
}

function hintOf(status: number, retryAfter: string | null): string | null {
  if (status === 401)
    return 'give the key of the server in TROUPE_API_KEY, or its file in TROUPE_API_KEY_FILE';
  if (status === 403) return 'this key may not do that: use a key with the scope that it needs';
  if (status === 429) return `try again in ${retryAfter ?? 'a few'} seconds`;
  if (status === 503) return 'the server is starting or stopping: try again in a moment';
  return null;
}

/** An answer with a status of 400 or more. `body` is problem+json, other JSON, or anything. */
export function problemError(
  status: number,
  body: string,
  what: string,
  retryAfter: string | null = null,
): CliError {
  let problem: Problem = {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) problem = parsed as Problem;
  } catch {
    // not JSON: the status alone must do
  }
  const said = asText(problem.detail) || asText(problem.title) || `the server answered ${status}`;
  const code = asText(problem.code) || `http_${status}`;
  const id = asText(problem.request_id);
  const trace = status >= 500 && id !== '' ? ` (request ${id})` : '';
  return new CliError(
    exitOfHttp(status),
    code,
    `${what}: ${said}${trace}${items(problem.errors)}`,
    hintOf(status, retryAfter),
  );
}

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'no server at',
  ENOTFOUND: 'no such host:',
  EAI_AGAIN: 'no such host:',
  EHOSTUNREACH: 'no way to',
  ENETUNREACH: 'no way to',
  UND_ERR_CONNECT_TIMEOUT: 'no answer from',
};
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'TimeoutError']);

const codesOf = (error: unknown): string[] => {
  if (typeof error !== 'object' || error === null) return [];
  const { code, name, cause, errors } = error as Record<string, unknown>;
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [asText(code), asText(name), ...inner, ...codesOf(cause)].filter(Boolean);
};

export const isLost = (error: unknown): boolean =>
  error instanceof CliError && error.exit === EXIT.unreachable;

/** A request that got no whole answer. `url`: where the server should have been. */
export function connectionError(error: unknown, url: string, what: string): CliError {
  if (error instanceof CliError) return error;
  const codes = codesOf(error);
  if (codes.some((c) => TIMED_OUT.has(c)))
    return new CliError(EXIT.timed_out, 'timed_out', `${what}: no answer from ${url} in time`);
  const known = codes.map((c) => UNREACHABLE[c]).find((text) => text !== undefined);
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError(
    EXIT.unreachable,
    'unreachable',
    known === undefined ? `${what}: the connection to ${url} broke: ${reason}` : `${known} ${url}`,
    'start one with `troupe serve` or give --url',
  );
}

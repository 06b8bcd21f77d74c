// JSON in and out of the server that this page came from; its errors as they are, with what to do.
import { signal } from '@preact/signals';

/** application/problem+json, and what stands in for it when there is no answer at all. */
export type Problem = {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors: { path: string; message: string }[];
  data?: Record<string, unknown>;
};
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }
}
export type Page<T> = { data: T[]; next_cursor: string | null };

const KEY = 'troupe.key';
/** An answer that has not come by then never will; waits on the server are shorter. */
const ANSWER_MS = 60_000;

/** The API key, kept for this tab only; empty where none is needed. */
export const key = signal(sessionStorage.getItem(KEY) ?? '');
/** The server has refused what was shown, or wants to see a key. */
export const keyWanted = signal<string | null>(null);

export function useKey(text: string): void {
  key.value = text.trim();
  sessionStorage.setItem(KEY, key.value);
  keyWanted.value = null;
}

export const authHeaders = (): Record<string, string> =>
  key.value === '' ? {} : { authorization: `Bearer ${key.value}` };

const unreachable = (error: unknown): Problem => ({
  ...{ status: 0, code: 'unreachable', title: 'no answer', errors: [] },
  detail: `the server did not answer: ${String(error instanceof Error ? error.message : error)}`,
});

async function problemOf(response: Response): Promise<Problem> {
  const body: Partial<Problem> = await response.json().catch(() => ({}));
  return {
    status: response.status,
    code: body.code ?? 'unknown',
    title: body.title ?? response.statusText,
    detail: body.detail ?? `the server answered ${response.status}`,
    errors: body.errors ?? [],
    ...(body.data && { data: body.data }),
  };
}

export async function send(method: string, path: string, body?: object): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: { ...authHeaders(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    throw new ApiError(unreachable(error));
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401) keyWanted.value = problem.detail;
  throw new ApiError(problem);
}
const json = async <T>(method: string, path: string, body?: object): Promise<T> =>
  (await send(method, path, body)).json() as Promise<T>;

export const get = <T>(path: string): Promise<T> => json<T>('GET', path);
export const post = <T>(path: string, body: object = {}): Promise<T> => json<T>('POST', path, body);
export const put = <T>(path: string, body: object): Promise<T> => json<T>('PUT', path, body);
export const remove = <T>(path: string): Promise<T> => json<T>('DELETE', path);
export const query = (values: Record<string, string | number | undefined>): string => {
  const given = Object.entries(values).filter(([, v]) => v !== undefined && v !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}`;
};

/** Saves what a route answers as a file; the key travels in the header, never in an address. */
export async function download(path: string, name: string): Promise<void> {
  const blob = await (await send('GET', path)).blob();
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), ANSWER_MS);
}

/** For the terminal of whoever watches; the key is named, never shown. */
export function curlOf(method: string, path: string, body?: object): string {
  const parts = [`curl -X ${method} ${location.origin}${path}`];
  if (key.value !== '') parts.push(`-H "Authorization: Bearer $TROUPE_API_KEY"`);
  if (body) {
    parts.push("-H 'content-type: application/json'");
    parts.push(`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  }
  return parts.join(' \\\n  ');
}

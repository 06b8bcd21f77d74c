// Notices when calls bring nothing new: the same tool, arguments and result again and again, in cycles too.
// Waiting for tasks does not count. Pure apart from what it remembers.
import { createHash } from 'node:crypto';

export type Verdict = 'ok' | 'warn' | 'stop';
export type Seen = {
  name: string;
  args: unknown;
  result: string;
  call_id: string;
  /** It took its time beside a job in the background. */
  waited?: boolean;
};

const NOT_COUNTED = new Set(['check_async_task', 'list_async_tasks']);
const MOST = 3;
/** Looks at a job that goes on and says nothing: builds are silent for minutes. */
const MOST_WAITS = 60;

/** JSON with sorted keys, so that the order of arguments makes no difference. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(',')}}`;
}

/** Durations, process ids and the call's own id differ every time and mean nothing. */
const steady = (seen: Seen): string =>
  seen.result
    .replaceAll(seen.call_id, '#')
    .replace(/\b\d+(\.\d+)? ?m?s\b/g, '#')
    .replace(/\bpid \d+/g, '#');

export function createProgressGuard() {
  const known = new Set<string>();
  /** How often each signature came since the last new one. */
  const counts = new Map<string, number>();
  let warned = false;
  return {
    /** After each call. `warn` once at the third repetition, `stop` at the next. */
    observe(seen: Seen): Verdict {
      if (NOT_COUNTED.has(seen.name)) return 'ok';
      const signature = createHash('sha256')
        .update(`${seen.name}\0${canonical(seen.args)}\0${steady(seen)}`)
        .digest('base64');
      if (!known.has(signature)) {
        known.add(signature);
        counts.clear();
        warned = false;
      }
      const count = (counts.get(signature) ?? 0) + 1;
      if (seen.waited && count < MOST_WAITS) {
        // What is looked at between two waits is new each time.
        counts.clear();
        warned = false;
      }
      counts.set(signature, count);
      if (count < (seen.waited ? MOST_WAITS : MOST)) return 'ok';
      if (warned) return 'stop';
      warned = true;
      return 'warn';
    },
  };
}
export type ProgressGuard = ReturnType<typeof createProgressGuard>;

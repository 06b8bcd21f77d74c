// One line of the log for every spawn, move, refusal and policy action, made from the committed events.
// Never has text of requests or answers in it: those belong to whoever asked, not to whoever reads the log.
import type { EventKind, TroupeEvent } from '../domain/event.ts';
import type { Log } from '../domain/ports.ts';

type LogLine = { level: 'info' | 'warn'; fields: Record<string, unknown>; message: string };

const LOGGED: readonly EventKind[] = [
  ...(['query', 'subagent', 'server', 'security', 'policy', 'review'] as const),
];
/** States after which somebody may want to look. */
const BAD = ['failed', 'degraded', 'blocked', 'crashed', 'failed_start', 'parked'];
/** Only their detail is a reason; that of other moves is what was asked or answered. */
const TOLD = [...BAD, 'cancelled'];

function messageOf({ kind, state, role, data, detail }: TroupeEvent): string {
  if (kind === 'query') return `query ${state}`;
  if (kind === 'review') return `${data.review_kind} ${data.review_id} ${state}`;
  if (kind === 'subagent') return `${role} agent #${data.ordinal} ${state}`;
  return detail || `${kind} ${state}`;
}

/** null: not an event for the log. `pid` is that of the role server. */
export function lineOf(event: TroupeEvent): LogLine | null {
  const { seq, kind, state, query_id, task_id, agent_id, role, data, detail } = event;
  if (!LOGGED.includes(kind)) return null;
  const { model = null, model_why = null, pid = null } = data;
  const about = { query_id, task_id, agent_id, role, pid, model, model_why };
  const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null));
  const moved = kind === 'query' || kind === 'subagent';
  const reason = moved && TOLD.includes(state) && detail !== '' ? { reason: detail } : {};
  const act = kind === 'policy' ? { action: data.action, attempt: data.attempt } : {};
  const bad = kind === 'security' || BAD.includes(state) || data.action === 'stop';
  return {
    level: bad ? 'warn' : 'info',
    fields: { seq, kind, state, ...known, ...act, ...reason },
    message: messageOf(event),
  };
}

/** To be put behind the event log. */
export const writeEventLines =
  (log: Log) =>
  (events: readonly TroupeEvent[]): void => {
    for (const event of events) {
      const line = lineOf(event);
      if (line) log[line.level](line.fields, line.message);
    }
  };

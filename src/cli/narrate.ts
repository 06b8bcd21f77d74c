// Says in one line what an event means to the person who watches a query. Pure; silent about what is no news.
import type { TroupeEvent } from '../domain/event.ts';
import { cleanLine, cut, displayWidth, pad } from './clean.ts';
import type { Part, Tone } from './terminal.ts';

/** What is known of a subagent beside the event: events carry only what changed. */
export type Known = {
  role: string;
  ordinal: number;
  depth: number;
  pid: number | null;
  port: number | null;
  task_summary: string;
};
export type Line = {
  at: string;
  mark: string;
  who: string;
  state: string;
  facts: string;
  /** Free text; the only part that is cut to the width of the terminal. */
  about: string;
  tone: Tone | null;
};

const TONES: Record<string, Tone> = {
  completed: 'good',
  ready: 'good',
  failed: 'bad',
  crashed: 'bad',
  failed_start: 'bad',
  parked: 'bad',
  refused: 'bad',
  cancelled: 'warn',
  degraded: 'warn',
  blocked: 'warn',
  waiting: 'warn',
  running: 'accent',
  spawned: 'accent',
};
/** Server states that say everything with their word. */
const PLAIN = new Set(['spawned', 'ready', 'attached', 'reused']);
/** Notices that say something that no state change says as well. */
const NEWS = new Set([
  ...['late_result', 'background_left', 'missed', 'steer'],
  ...['budget_exceeded', 'budget_wait', 'resume_estimate', 'fanout_estimate'],
]);

const numberIn = (data: Record<string, unknown>, ...keys: string[]): number | null => {
  for (const key of keys) if (typeof data[key] === 'number') return data[key];
  return null;
};
const textIn = (data: Record<string, unknown>, ...keys: string[]): string => {
  for (const key of keys) if (typeof data[key] === 'string' && data[key] !== '') return data[key];
  return '';
};
const facts = (...parts: (string | null)[]): string => parts.filter(Boolean).join(' ');
const quoted = (text: string): string => (text === '' ? '' : `"${cleanLine(text)}"`);

function who(event: TroupeEvent, known: Known | null): string {
  const role = known?.role ?? event.role;
  const ordinal = known?.ordinal ?? numberIn(event.data, 'ordinal');
  if (event.kind === 'server') return `${role ?? '?'} server`;
  if (event.agent_id === null && event.task_id === null) return 'main agent';
  const indent = '  '.repeat(Math.max(0, (known?.depth ?? 1) - 1));
  return `${indent}${role ?? 'subagent'} agent${ordinal === null ? '' : ` #${ordinal}`}`;
}

const place = (pid: number | null, port: number | null): string =>
  facts(pid === null ? null : `pid ${pid}`, port === null ? null : `port ${port}`);

function ofSubagent(event: TroupeEvent, known: Known | null): Partial<Line> {
  const { state, data, detail } = event;
  const summary = known?.task_summary ?? textIn(data, 'task_summary');
  const waiting = textIn(data, 'waiting');
  const failed = state === 'failed' || state === 'blocked' || state === 'cancelled';
  return {
    facts: facts(
      state === 'running'
        ? place(
            numberIn(data, 'pid') ?? known?.pid ?? null,
            numberIn(data, 'port') ?? known?.port ?? null,
          )
        : null,
      waiting === '' ? null : `waits for a ${waiting}`,
    ),
    about: failed ? detail : state === 'created' || state === 'running' ? quoted(summary) : '',
  };
}

function ofServer({ data, detail, state }: TroupeEvent): Partial<Line> {
  const ms = numberIn(data, 'took_ms');
  return {
    facts: facts(
      place(numberIn(data, 'pid'), numberIn(data, 'port')),
      ms === null ? null : `after ${Math.round(ms)} ms`,
    ),
    about: PLAIN.has(state) ? '' : detail,
  };
}

/** A decision to branch was taken, not merely considered. */
export const hasBranched = ({ kind, state, data }: TroupeEvent): boolean =>
  kind === 'branch' &&
  (data.branched === true ||
    data.branch === true ||
    data.taken === true ||
    /^(branched|taken|started|branch)$/.test(state));

function ofBranch(event: TroupeEvent): Partial<Line> {
  const { data, detail } = event;
  const parts = Array.isArray(data.parts) ? data.parts.filter((p) => typeof p === 'string') : [];
  const about = parts.length > 0 ? parts.map((p) => quoted(p)).join(' · ') : detail;
  if (!hasBranched(event)) return { state: event.state, about: detail };
  const score = numberIn(data, 'score');
  return {
    mark: '⚡',
    state: 'self-branch',
    tone: 'spark',
    facts: facts(
      parts.length > 0 ? `${parts.length} branches` : null,
      score === null ? null : `score ${score.toFixed(2)}`,
    ),
    about,
  };
}

/** A command may take minutes: its start is news. Other tools are told when they have ended. */
function ofTool({ state, data, detail }: TroupeEvent): Partial<Line> | null {
  if (state === 'started')
    return data.name === 'shell'
      ? { state: 'tool', about: facts('shell', textIn(data, 'arguments')), tone: 'dim' }
      : null;
  const bad = state === 'failed' || data.ok === false;
  // A task that has started is told by its own first line.
  if (!bad && /^(start|check|list)_async_tasks?$/.test(String(data.name))) return null;
  return { state: bad ? 'tool failed' : 'tool', about: detail, tone: bad ? 'warn' : 'dim' };
}

const REVIEW_WORDS: Record<string, string> = {
  pending: 'asks',
  decided: 'is answered',
  expired: 'no answer',
};
function ofReview({ state, data, detail }: TroupeEvent): Partial<Line> {
  const waits = state === 'pending' && data.blocking === true;
  return {
    state: REVIEW_WORDS[state] ?? state,
    tone: state === 'pending' ? 'warn' : 'dim',
    facts: waits ? 'waits for you' : '',
    about: state === 'withdrawn' ? textIn(data, 'by') : quoted(detail),
  };
}

/** null: nothing that a person must read. `known`: the subagent of the event, when it has one. */
export function narrate(event: TroupeEvent, known: Known | null): Line | null {
  const { kind, state, detail } = event;
  const line: Line = {
    at: event.at,
    mark: '',
    who: who(event, known),
    state,
    facts: '',
    about: detail,
    tone: TONES[state] ?? null,
  };
  switch (kind) {
    case 'query':
      return { ...line, who: 'main agent' };
    case 'subagent':
      return { ...line, ...ofSubagent(event, known) };
    case 'server':
      return { ...line, ...ofServer(event) };
    case 'branch':
      return { ...line, ...ofBranch(event) };
    case 'tool': {
      const tool = ofTool(event);
      return tool && { ...line, ...tool };
    }
    case 'review':
      return { ...line, ...ofReview(event) };
    case 'notice':
      return NEWS.has(state) ? { ...line, state: state.replace('_', ' ') } : null;
    case 'policy':
      return { ...line, state: `policy ${state}`, tone: 'warn' };
    case 'security':
      return { ...line, state: `refused ${state}`, tone: 'bad' };
    default:
      return null;
  }
}

const WHO = 22;
const STATE = 11;

/** HH:MM:SS of this machine's time zone. */
export const clockTime = (at: string): string => {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? '--:--:--' : time.toTimeString().slice(0, 8);
};

/** The line as parts for the terminal; `columns` null: nothing is cut. */
export function lineParts(line: Line, columns: number | null): Part[] {
  const label = cleanLine(line.mark === '' ? line.who : `${line.mark} ${line.who}`);
  const head = `${clockTime(line.at)}  `;
  const middle = `${pad(label, WHO)}  `;
  const state = pad(cleanLine(line.state), STATE);
  const facts = line.facts === '' ? '' : `  ${cleanLine(line.facts)}`;
  const used = displayWidth(head + middle + state + facts) + 2;
  const about = cleanLine(line.about);
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(12, columns - used);
  return [
    { tone: 'dim', text: head },
    middle,
    line.tone === null ? state : { tone: line.tone, text: state },
    facts,
    about === '' ? '' : `  ${cut(about, room)}`,
  ];
}

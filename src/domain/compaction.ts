// The thread as the model sees it once older turns have been summarised. The thread itself is never shortened: a
// summary is a message like any other, and stands for what came before it. Pure.
import { clipFramed } from './data-frame.ts';
import type { Message, Summary } from './message.ts';

export type SummaryMessage = Extract<Message, { role: 'user' }> & { summary: Summary };
export const isSummary = (m: Message): m is SummaryMessage =>
  m.role === 'user' && m.summary !== undefined;
/** Words of a person or of the parent, not of the runtime. */
export const isHuman = (m: Message): boolean => m.role === 'user' && m.kind !== 'notice';

const CUT = 'it was shortened to fit the context; ask again for the part that you need';

function clipped(message: Message, limit: number | null): Message {
  if (limit === null || message.role !== 'tool' || Buffer.byteLength(message.content) <= limit)
    return message;
  return { ...message, content: clipFramed(message.content, limit, CUT) };
}

/**
 * What stays of a view when this summary comes: the first request, the summary, the latest request, and the tail. The
 * tail begins where a turn begins, so no call loses its result.
 */
export function summarised(view: readonly Message[], message: SummaryMessage): Message[] {
  const { tail, clip: limit } = message.summary;
  const from = Math.max(0, view.length - tail);
  const first = view.findIndex(isHuman);
  const latest = view.findLastIndex(isHuman);
  const at = (i: number, after: number): Message[] => {
    const found = i > after && i < from ? view[i] : undefined;
    return found ? [found] : [];
  };
  return [
    ...at(first, -1),
    message,
    ...at(latest, first),
    ...view.slice(from).map((m) => clipped(m, limit)),
  ];
}

/** `messages`: a whole thread, every call answered. The same view as that of the run that wrote the summaries. */
export const viewOf = (messages: readonly Message[]): Message[] =>
  messages.reduce<Message[]>((view, message) => {
    if (isSummary(message)) return summarised(view, message);
    view.push(message);
    return view;
  }, []);

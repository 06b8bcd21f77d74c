// What the messages say about the tasks that the main agent has started. Reads only what the runtime writes
// (`task_id:`, `status:`), never the words of an agent as if they were the runtime's.
import type { Message } from '../../domain/message.ts';

export type Seen =
  | { state: 'refused'; why: string }
  | { state: 'open'; task_id: string }
  | { state: 'completed' | 'failed'; task_id: string; answer: string };

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
// Within one line: what stands above belongs to the task before.
const HEAD = new RegExp(`^[^\\w\\n]*task_id[^\\w\\n]+(${UUID})`, 'gim');
const STATUS = /^[^\w\n]*status[^\w\n]+(\w+)/im;
const FRAME = /<<<DATA (\w+)[^\n]*>>>\n([\s\S]*?)\n<<<END DATA \1>>>/g;

/** Text without what stands in data frames: an agent's words cannot forge a head. */
const hideFrames = (text: string): string =>
  text.replace(FRAME, (whole) => whole.replace(/[^\n]/g, ' '));

/** Outcomes in one text of the runtime, by task_id. */
function outcomesIn(content: string): Map<string, Seen> {
  const visible = hideFrames(content);
  const heads = [...visible.matchAll(HEAD)];
  const found = new Map<string, Seen>();
  heads.forEach((head, i) => {
    const task_id = head[1]?.toLowerCase() ?? '';
    const end = heads[i + 1]?.index ?? content.length;
    const status = STATUS.exec(visible.slice(head.index, end))?.[1]?.toLowerCase();
    if (
      status === undefined ||
      !/^(?:completed|success|failed|error|cancelled|timeout)$/.test(status)
    )
      return;
    const part = content.slice(head.index, end);
    const framed = [...part.matchAll(FRAME)].map((m) => m[2] ?? '');
    const state = status === 'completed' || status === 'success' ? 'completed' : 'failed';
    found.set(task_id, { state, task_id, answer: framed.join('\n') || part });
  });
  return found;
}

/** What became of each start call, by tool_call_id. `since`: messages after the human text. */
export function tasksSeen(since: readonly Message[]): Map<string, Seen> {
  const outcomes = new Map<string, Seen>();
  for (const m of since)
    if (
      (m.role === 'user' && m.kind === 'notice') ||
      (m.role === 'tool' && m.tool_name === 'check_async_task')
    )
      for (const [id, seen] of outcomesIn(m.content)) outcomes.set(id, seen);
  const started = new Map<string, Seen>();
  for (const m of since) {
    if (m.role !== 'tool' || m.tool_name !== 'start_async_task') continue;
    const task_id = new RegExp(UUID, 'i').exec(m.content)?.[0]?.toLowerCase();
    if (m.is_error || task_id === undefined)
      started.set(m.tool_call_id, { state: 'refused', why: m.content.split('\n', 1)[0] ?? '' });
    else started.set(m.tool_call_id, outcomes.get(task_id) ?? { state: 'open', task_id });
  }
  return started;
}

// The message that stands for older turns: the summary as data, and beside it what the runtime knows for certain.
import type { SummaryMessage } from '../../domain/compaction.ts';
import { frameData } from '../../domain/data-frame.ts';
import type { Message, Summary } from '../../domain/message.ts';
import type { TaskBrief } from '../../domain/run.ts';
import { clip, oneLine } from '../../domain/text.ts';

/** What is told of a task: enough to ask for the rest. */
export type KnownTask = Pick<TaskBrief, 'task_id' | 'subagent_type' | 'status' | 'description'>;

const ENDED = new Set(['completed', 'failed', 'cancelled']);
export const isEnded = ({ status }: KnownTask): boolean => ENDED.has(status);

/** Ended tasks that are still named; open ones all are. */
const MOST_ENDED = 20;
/** Things that the user said in between. */
const MOST_SAID = 10;
const OF_ONE = 1_000;
const CUT = 'left out of this summary';

export const saidOf = (former: readonly string[], dropped: readonly Message[]): string[] =>
  [
    ...former,
    ...dropped
      .filter((m) => m.role === 'user' && m.kind !== 'notice')
      .map((m) => clip(m.content, OF_ONE, CUT)),
  ].slice(-MOST_SAID);

function tasksText(tasks: readonly KnownTask[]): string {
  const open = tasks.filter((t) => !isEnded(t));
  const ended = tasks.filter(isEnded).slice(-MOST_ENDED);
  const line = (t: KnownTask): string =>
    `- ${t.task_id} ${t.subagent_type} ${t.status}: ${oneLine(t.description, 160)}`;
  const list = (head: string, some: readonly KnownTask[], name: string): string =>
    some.length === 0 ? '' : `${head}\n${frameData(name, some.map(line).join('\n'))}`;
  return [
    list('Your tasks that are open, from the runtime:', open, 'the list of open tasks'),
    list('Your tasks that have ended:', ended, 'the list of ended tasks'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function summaryMessage(summary: Summary, tasks: readonly KnownTask[]): SummaryMessage {
  const { text, said } = summary;
  const parts = [
    '[The older turns of this conversation are summarised here, to fit the context. What follows is as it was.]',
    text === '' ? '' : `What was done so far:\n${frameData('the summary of older turns', text)}`,
    said.length === 0
      ? ''
      : `What was asked meanwhile, oldest first; it still holds:\n${said.map((one) => frameData('what was asked', one)).join('\n')}`,
    tasksText(tasks),
    'Go on from here. Do not repeat what is done.',
  ];
  const content = parts.filter(Boolean).join('\n\n');
  return { role: 'user', kind: 'notice', content, summary };
}

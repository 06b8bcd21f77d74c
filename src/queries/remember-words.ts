// What the runtime says about proposals for memory: to the agent that makes them, to the main agent, under an answer.
// Pure.
import { frameData } from '../domain/data-frame.ts';
import type { Layer } from '../domain/memory.ts';
import { oneLine } from '../domain/text.ts';
import { visibleText } from '../domain/visible-text.ts';
import { detectLanguage } from '../language/detect.ts';
import type { MadeFile } from './made-files.ts';

const REQUEST = 500;
/** Characters of a path, and of all of them: a task must not be refused for its length. */
const PATH = 200;
const LIST = 6_000;

/** One line each: the name of a file is chosen by whoever made it. */
function listOf(files: readonly MadeFile[]): string[] {
  const lines = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, size }) => `- ${oneLine(visibleText(path), PATH)} (${size} bytes)`);
  let room = LIST;
  const shown = lines.filter((line) => {
    room -= line.length;
    return room >= 0;
  });
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `- and ${more} more`] : shown;
}

/** The task of the role `remember`. `asked`: what the person has said last. */
export function taskText(asked: string, files: readonly MadeFile[]): string {
  const list = listOf(files);
  return [
    'The work on a request has ended. Propose what of it is worth long-term memory; change nothing. Answer in the agreed form: one fenced JSON block with your recommendations, each with its evidence, then a short summary in the language of the request.',
    `The request:\n${frameData('the user', oneLine(asked, REQUEST))}`,
    ...(list.length > 0 ? [`Files that were made or changed:\n${list.join('\n')}`] : []),
  ].join('\n\n');
}

/** `record_id` null: the same was remembered before. */
export type Remembered = {
  path: string;
  layer: Layer;
  record_id: string | null;
  edited: boolean;
};
export type NotRemembered = { path: string; reason: string | null };

const HEAD = 'A person has decided what of your proposals is remembered';

/** How a message about this review begins: by it a turn that is resumed knows that it was told. */
export const decisionHead = (review_id: string): string => `${HEAD} (review ${review_id}).`;

export function decisionText(
  review_id: string,
  approved: readonly Remembered[],
  rejected: readonly NotRemembered[],
): string {
  const data = JSON.stringify({ approved, rejected }, null, 2);
  return `${decisionHead(review_id)} The decision is data:\n\n${frameData('the review', data)}\n\nWhat was approved is stored already. Give your final answer again, whole; say in it in one sentence what is remembered and what is not.`;
}

const UNDECIDED = {
  en: (s: number) => `Nothing was stored in memory: nobody decided on the proposals within ${s} s.`,
  ko: (s: number) => `메모리에 저장한 것이 없습니다: ${s}초 안에 제안에 대한 결정이 없었습니다.`,
  zh: (s: number) => `没有存入记忆：${s} 秒内无人对建议作出决定。`,
};
const WITHDRAWN = {
  en: 'Nothing was stored in memory: the proposals were withdrawn.',
  ko: '메모리에 저장한 것이 없습니다: 제안이 철회되었습니다.',
  zh: '没有存入记忆：建议已被撤回。',
};

/** A sentence under the answer, in the language of the request. */
export const undecidedText = (input: string, seconds: number): string =>
  UNDECIDED[detectLanguage(input)](seconds);
export const withdrawnText = (input: string): string => WITHDRAWN[detectLanguage(input)];

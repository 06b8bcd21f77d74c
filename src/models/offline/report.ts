// The form of a role's answer: label, text, files. The main agent finds the parts again in what comes back.
import type { Language } from '../../language/lexicon.ts';
import { LABEL } from './label.ts';
import { say } from './say.ts';

/** `ok` false: something that was asked for is not there. */
export type Report = { ok: boolean; text: string; files: string[] };

const list = (language: Language, files: readonly string[]): string =>
  files.length === 0 ? say(language).none : files.map((f) => `\`${f}\``).join(', ');

export const filesLine = (language: Language, files: readonly string[]): string =>
  `${say(language).files}: ${list(language, files)}`;

export const answerText = (language: Language, { text, files }: Report): string =>
  `${LABEL[language]}\n\n${text.trim()}\n\n${filesLine(language, files)}`;

const FILES_LINE = /^(?:Files|파일|文件): (.+)$/m;

/** Text and files of an answer in this form; of any other answer the text as it is. */
export function readReport(answer: string): { text: string; files: string[] } {
  let text = answer.trim();
  for (const label of Object.values(LABEL))
    if (text.startsWith(label)) text = text.slice(label.length).trim();
  const lines = text.split('\n');
  const last = FILES_LINE.exec(lines.at(-1) ?? '')?.[1];
  if (last === undefined) return { text, files: [] };
  return {
    text: lines.slice(0, -1).join('\n').trim(),
    files: [...last.matchAll(/`([^`]+)`/g)].map((m) => m[1] ?? ''),
  };
}

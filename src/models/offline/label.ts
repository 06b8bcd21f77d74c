// The label of everything the offline rules make: an answer's first line, a file's first comment.
import type { Language } from '../../language/lexicon.ts';

export const LABEL: Readonly<Record<Language, string>> = {
  en: 'offline rules – no AI model was used',
  ko: '오프라인 규칙 – AI 모델을 사용하지 않았습니다',
  zh: '离线规则 – 未使用 AI 模型',
};

const COMMENT: readonly [endings: RegExp, before: string, after: string][] = [
  [/\.(?:m?js|cjs|ts|tsx|jsx|java|c|go|rs)$/, '// ', ''],
  [/\.(?:html|md|xml|svg)$/, '<!-- ', ' -->'],
  [/\.css$/, '/* ', ' */'],
];

/** The label as a comment in the syntax that the file's name asks for. */
export function labelComment(path: string, language: Language): string {
  const [, before, after] = COMMENT.find(([endings]) => endings.test(path)) ?? [null, '# ', ''];
  return `${before}${LABEL[language]}${after}`;
}

/** The text under its label. A script's first line (#!) and a page's doctype stay first. */
export function labelled(path: string, text: string, language: Language): string {
  const comment = labelComment(path, language);
  const first = /^(?:#!|<!doctype)[^\n]*\n/i.exec(text)?.[0] ?? '';
  return `${first}${comment}\n${text.slice(first.length)}`;
}

export const isLabelled = (text: string): boolean =>
  Object.values(LABEL).some((label) => text.includes(label));

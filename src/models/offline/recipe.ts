// What a recipe is: a small thing that can be built without understanding the request any further.
import type { Language } from '../../language/lexicon.ts';
import type { Noun } from './nouns.ts';

/** `variant`: what `match` gave. `title`: what the request calls the thing, or ''. */
export type Topic = {
  recipe: string;
  variant: string;
  noun: Noun;
  language: Language;
  title: string;
};

export type File = { path: string; text: string };
export type Part = {
  id: string;
  role: string;
  /** Parts whose files this one needs. Those that were not asked for are ignored. */
  after: readonly string[];
  /** null: always; else only when the request asks for it. */
  when: 'tests' | 'readme' | 'several' | null;
  /** What the task is, in one sentence. */
  task(topic: Topic): string;
  /** Files without their label. */
  files(topic: Topic): File[];
  /** A command that shows whether the files are right. */
  check(topic: Topic): string | null;
};

export type Recipe = {
  id: string;
  /** null: the request does not ask for this; else which variant of it ('' when there is only one). */
  match(request: string): string | null;
  parts: readonly Part[];
};

/** The name of the noun in the language of the request. */
export const nounName = ({ noun, language }: Topic): string =>
  language === 'en' ? noun.id : noun[language];
/** Picks the text of a language. */
export const pick = <T>(topic: { language: Language }, en: T, ko: T, zh: T): T =>
  ({ en, ko, zh })[topic.language];

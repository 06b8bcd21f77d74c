// From a request to the recipe that builds it, and from a task's description back to the part of it.
import { detectLanguage } from '../../language/detect.ts';
import type { Language } from '../../language/lexicon.ts';
import { nounById, nounIn } from './nouns.ts';
import type { Part, Recipe, Topic } from './recipe.ts';
import { RECIPES } from './recipes/index.ts';

const ASKS = {
  tests: /\btests?\b|\btested\b|테스트|测试|測試/i,
  readme: /\breadme\b|\bdocs?\b|\bdocument(?:ed|ation)?\b|리드미|문서|文档|文檔|说明/i,
} as const;

const TITLES: Record<Language, RegExp> = {
  en: /\b(?:for|about|called|named|of)\s+(?:a\s+|an\s+|the\s+|my\s+|our\s+)?(.{2,60}?)(?=\s+(?:with|and|that|in|using)\b|[.,;!?]|$)/i,
  ko: /^(.{2,40}?)\s*(?:을|를)?\s*(?:위한|소개하는|소개|용)\s/,
  zh: /(?:为|給|给|介绍|關於|关于)(.{2,30}?)(?=做|写|创建|建|制作|设计|的|[，。！]|$)/,
};

function titleOf(request: string, language: Language): string {
  const quoted = /["“「『《]([^"”」』》\n]{1,80})["”」』》]/.exec(request)?.[1];
  return (quoted ?? TITLES[language].exec(request)?.[1] ?? '').trim();
}

export type Build = { recipe: Recipe; topic: Topic; parts: Part[] };

/** What of the recipe the request asks for; null when no recipe fits. */
export function buildOf(request: string, more = ''): Build | null {
  for (const recipe of RECIPES) {
    const variant = recipe.match(request);
    if (variant === null) continue;
    const language = detectLanguage(request);
    const title = titleOf(request, language);
    const topic = { recipe: recipe.id, variant, noun: nounIn(request), language, title };
    const all = `${request}\n${more}`;
    const asked = (['tests', 'readme'] as const).filter((what) => ASKS[what].test(all));
    const parts = recipe.parts.filter(
      ({ when }) => when === null || (when === 'several' ? asked.length > 0 : asked.includes(when)),
    );
    return { recipe, topic, parts };
  }
  return null;
}

/** A line of data at the end of a task's description, so that a role knows which part is meant. */
const MARK = /\n\[offline (\{.*\})\]\s*$/;

export function mark(topic: Topic, part: Part): string {
  const { recipe, variant, noun, language, title } = topic;
  return `\n[offline ${JSON.stringify({ recipe, variant, part: part.id, noun: noun.id, language, title })}]`;
}

export function marked(description: string): { topic: Topic; part: Part } | null {
  const found = MARK.exec(description)?.[1];
  if (found === undefined) return null;
  try {
    const data = JSON.parse(found) as Record<string, string>;
    const recipe = RECIPES.find((r) => r.id === data.recipe);
    const part = recipe?.parts.find((p) => p.id === data.part);
    const language = (['en', 'ko', 'zh'] as const).find((l) => l === data.language);
    if (!recipe || !part || !language) return null;
    const { variant = '', noun = '', title = '' } = data;
    return {
      part,
      topic: { recipe: recipe.id, variant, noun: nounById(noun), language, title },
    };
  } catch {
    return null;
  }
}

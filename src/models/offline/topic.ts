// From a request to the recipe that builds it, and from a task's description back to the part of it.
import { detectLanguage } from '../../language/detect.ts';
import type { Language } from '../../language/lexicon.ts';
import { maskText } from '../../language/mask.ts';
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

/** Asks for a language or framework that the recipes do not speak: another one in its place would be wrong. */
const OTHER_TOOLS =
  /\b(?:flask|django|fastapi|java|kotlin|swift|spring|golang|in go|rust|ruby|rails|php|laravel|c\+\+|c#|\.net|express|nest(?:js)?|typescript|react|vue|svelte|angular|next(?:\.?js)?|tailwind|bootstrap|graphql|grpc)\b|자바(?!스크립트)|러스트|리액트|코틀린|스프링|장고/i;
const PYTHON = /\bpython\b|파이썬/i;
const foreignTo = (recipe: Recipe, request: string): boolean =>
  OTHER_TOOLS.test(request) || (PYTHON.test(request) && recipe.id !== 'snippet');

/** What people like to add to a request and no recipe does. */
const EXTRAS =
  /\b(?:deploy(?:ment)?|docker(?:file)?|kubernetes|auth(?:entication|orization)?|log-?in|oauth\w*|jwt|sqlite|postgres\w*|mysql|mongo\w*|redis|database|payments?|e-?mail notifications?|websockets?|swagger|openapi|pagination|ci(?:\/cd)?)\b|배포|도커|인증|로그인|데이터베이스|결제|페이지네이션|部署|认证|登录|数据库|支付|分页/gi;

export type Build = {
  recipe: Recipe;
  topic: Topic;
  parts: Part[];
  /** Words of the request that the recipe leaves undone. */
  undone: string[];
};

/** What of the recipe the request asks for; null when no recipe fits. */
export function buildOf(request: string): Build | null {
  for (const recipe of RECIPES) {
    const variant = recipe.match(request);
    if (variant === null || foreignTo(recipe, request)) continue;
    const language = detectLanguage(request);
    const title = titleOf(request, language);
    const topic = { recipe: recipe.id, variant, noun: nounIn(request), language, title };
    const asked = (['tests', 'readme'] as const).filter((what) => ASKS[what].test(request));
    const parts = recipe.parts.filter(
      ({ when }) => when === null || (when === 'several' ? asked.length > 0 : asked.includes(when)),
    );
    const undone = [...new Set([...maskText(request).matchAll(EXTRAS)].map((m) => m[0]))];
    return { recipe, topic, parts, undone };
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

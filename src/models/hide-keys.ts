// What a provider says, without any key in it.

/** What looks like a key: providers quote them back, masked or not. */
const SHAPES: readonly [RegExp, string][] = [
  [/\b(?:sk|pk|key)-[\w*.…-]{4,}/g, '[key]'],
  [/\bBearer\s+\S+/gi, 'Bearer [key]'],
  [/(https?:\/\/)[^/\s@]+@/g, '$1'],
];
const spellings = (key: string): string[] => [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
];

/** The text without the keys of any provider (one may stand before another), however they are written in it. */
export type Hide = (text: string) => string;

export function createHide(keys: readonly string[]): Hide {
  const hidden = [...new Set(keys.flatMap(spellings))].sort((a, b) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const spelling of hidden) out = out.replaceAll(spelling, '[key]');
    for (const [shape, by] of SHAPES) out = out.replace(shape, by);
    return out;
  };
}

// JSON in the text of a model: the text itself, what stands in fences, or the part between its outer brackets. Pure.

const FENCE = /```[^\n`]*\n([\s\S]*?)\n?```/g;
/** Blocks that are looked at, the last ones: the answer stands at the end. */
const MOST = 10;

const parsed = (text: string): { value: unknown }[] => {
  try {
    return [{ value: JSON.parse(text) as unknown }];
  } catch {
    return [];
  }
};

/** From the first opening bracket to the last closing one. */
function bare(text: string): { value: unknown }[] {
  const from = text.search(/[{[]/);
  const close = text[from] === '{' ? '}' : ']';
  return from < 0 ? [] : parsed(text.slice(from, text.lastIndexOf(close) + 1));
}

/** Everything that parses, the likeliest first. */
export function jsonIn(text: string): { value: unknown }[] {
  const whole = parsed(text.trim());
  if (whole.length > 0) return whole;
  const fenced = [...text.matchAll(FENCE)].slice(-MOST).reverse();
  const blocks = fenced.flatMap((m) => parsed((m[1] ?? '').trim()));
  return blocks.length > 0 ? blocks : bare(text);
}

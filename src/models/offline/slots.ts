// The concrete things a request names: files, quoted texts, code, an address. Pure.

export type Slots = {
  /** Files and folders, in order; folders end with "/". */
  paths: string[];
  /** Quoted texts that are no paths. */
  quotes: string[];
  /** Inline code that is no path. */
  code: string[];
  /** Text of the first fenced block, or null. */
  block: string | null;
  url: string | null;
};

const QUOTED =
  /"([^"\n]*)"|“([^”\n]*)”|「([^」\n]*)」|『([^』\n]*)』|‘([^’\n]*)’|(?<![\p{L}\p{N}])'([^'\n]*)'(?![\p{L}\p{N}])/gu;
const PATH =
  /(?<![\w/.-])(?:[\w.-]+\/)*[\w-][\w.-]*\.[A-Za-z]\w{0,7}(?![\w/])|(?<![\w/.-])(?:[\w.-]+\/)+(?![\w])/g;
const NAMED_PATH = /^[\p{L}\p{N}_ .@-]+(?:\/[\p{L}\p{N}_ .@-]+)*\/?$/u;
/** Written like a file, meant as a product. */
const PRODUCT = /^(?:node|vue|next|nuxt|express|react|three|d3|socket)\.(?:js|io)$/i;

const isPath = (text: string): boolean =>
  NAMED_PATH.test(text) &&
  (/\.[A-Za-z]\w{0,7}$/.test(text) || text.includes('/')) &&
  !/\s{2}/.test(text);

export function slotsOf(request: string): Slots {
  const block = /```[^\n`]*\n([\s\S]*?)```/.exec(request)?.[1] ?? null;
  let rest = request.replace(/```[\s\S]*?```/g, ' ');
  const url = /https?:\/\/[^\s<>"'，。、)]+/i.exec(rest)?.[0] ?? null;
  rest = rest.replace(/https?:\/\/[^\s<>"'，。、)]+/gi, ' ');
  const paths: { at: number; path: string }[] = [];
  const quotes: string[] = [];
  const code: string[] = [];
  const take =
    (into: string[], spaces: boolean) =>
    (whole: string, ...found: unknown[]) => {
      const text =
        found.slice(0, -2).find((group): group is string => typeof group === 'string') ?? '';
      const at = found.at(-2) as number;
      if (isPath(text) && (spaces || !/\s/.test(text))) paths.push({ at, path: text });
      else if (text !== '') into.push(text);
      return ' '.repeat(whole.length);
    };
  rest = rest.replace(/`([^`\n]+)`/g, take(code, false)).replace(QUOTED, take(quotes, true));
  for (const m of rest.matchAll(PATH))
    if (!PRODUCT.test(m[0])) paths.push({ at: m.index, path: m[0] });
  paths.sort((a, b) => a.at - b.at);
  return { paths: paths.map((p) => p.path), quotes, code, block, url };
}

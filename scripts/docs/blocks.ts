// Parts of hand-written pages that are made from the source: what stands between `<!-- made: NAME -->` and
// `<!-- end -->`. Everything around them is left alone.

const BLOCK = /(<!-- made: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The page with its blocks made anew. Throws on a block that nobody makes, and on a page without any. */
export async function withBlocks(
  page: string,
  makers: Readonly<Record<string, () => string | Promise<string>>>,
): Promise<string> {
  const names = [...page.matchAll(BLOCK)].map(([, , name = '']) => name);
  if (names.length === 0) throw new Error('a page that should have made blocks has none');
  const made = new Map<string, string>();
  for (const name of names) {
    const make = makers[name];
    if (make === undefined)
      throw new Error(`no block "${name}"; there are ${Object.keys(makers).join(', ')}`);
    made.set(name, await make());
  }
  return page.replace(
    BLOCK,
    (_, start: string, name: string, end: string) => `${start}\n${made.get(name)}\n\n${end}`,
  );
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n');

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

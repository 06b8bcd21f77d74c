// Collects the lines of a page that is turned into Markdown: inline text, blocks, prefixes, tables.
// Knows no tag names. Never nests without bound, never keeps two blank lines in a row.

const MOST_DEPTH = 8;
const MOST_CELLS = 60;

const squeezed = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();

export function createPageWriter() {
  const lines: string[] = [];
  let inline: string[] = [];
  let link: { href: string; from: number } | null = null;
  const prefixes: string[] = [];
  /** Stands in the place of the prefix on the next line only: the sign of a list item. */
  let marker: string | null = null;
  let row: string[] | null = null;
  let table: string[][] = [];
  let inCell = false;

  const prefix = (): string => prefixes.slice(0, MOST_DEPTH).join('');
  const blank = (): void => {
    const bare = prefix().trimEnd();
    if (lines.length > 0 && lines.at(-1) !== bare && lines.at(-1) !== '') lines.push(bare);
  };

  function closeLink(): void {
    if (link === null) return;
    const { href, from } = link;
    const said = inline.splice(from).join('');
    const text = squeezed(said).replaceAll('\n', ' ');
    const lead = /^\s/.test(said) ? ' ' : '';
    const trail = /\s$/.test(said) ? ' ' : '';
    if (text !== '') inline.push(`${lead}[${text}](${href})${trail}`);
    link = { href, from: inline.length };
  }

  /** Ends the inline text as a line of its own. */
  function flush(): string {
    closeLink();
    const text = squeezed(inline.join(''));
    inline = [];
    if (link !== null) link.from = 0;
    return text;
  }

  function put(text: string): void {
    for (const line of text.split('\n')) {
      const own = prefixes.slice(0, MOST_DEPTH);
      if (marker !== null) own.splice(-1, 1, marker);
      marker = null;
      lines.push((own.join('') + line).trimEnd());
    }
  }

  function endCell(): void {
    if (!inCell) return;
    inCell = false;
    const text = flush().replaceAll('\n', ' ').replaceAll('|', '\\|');
    if (row !== null && row.length < MOST_CELLS) row.push(text);
  }

  function endRow(): void {
    endCell();
    if (row?.some((cell) => cell !== '')) table.push(row);
    row = null;
  }

  const writer = {
    text(text: string): void {
      inline.push(text);
    },
    /** Something between whose sides there is a space at least. */
    gap(): void {
      inline.push(' ');
    },
    lineBreak(): void {
      inline.push(inCell ? ' ' : '\n');
    },
    /** Ends a block; a cell of a table has none. `apart`: a blank line follows. True when it held text. */
    block(apart: boolean, before = ''): boolean {
      if (inCell) {
        writer.gap();
        return false;
      }
      const text = flush();
      if (text !== '') put(before + (before === '' ? text : text.replaceAll('\n', ' ')));
      if (apart) blank();
      return text !== '';
    },
    openLink(href: string | null): void {
      closeLink();
      link = href === null ? null : { href, from: inline.length };
    },
    endLink(): void {
      closeLink();
      link = null;
    },
    /** Lines as they are, between fences. */
    verbatim(text: string): void {
      let longest = 2;
      for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
      const fence = '`'.repeat(Math.min(longest, 100) + 1);
      put(`${fence}\n${text.trimEnd().replace(/^\n/, '')}\n${fence}`);
      blank();
    },
    push(text: string, first: string | null = null): void {
      prefixes.push(text);
      if (first !== null) marker = first;
    },
    pop(): void {
      const bare = prefix().trimEnd();
      if (bare !== '' && lines.at(-1) === bare) lines.pop();
      prefixes.pop();
      marker = null;
    },
    openRow(): void {
      endRow();
      row = [];
    },
    openCell(): void {
      endCell();
      writer.block(false);
      row ??= [];
      inCell = true;
    },
    endCell,
    endRow,
    endTable(): void {
      endRow();
      writer.block(false);
      const width = Math.max(0, ...table.map((cells) => cells.length));
      // One column is layout, not a table.
      if (width < 2) for (const [cell = ''] of table) put(cell);
      else
        for (const [i, cells] of table.entries()) {
          const full = [...cells, ...Array<string>(width - cells.length).fill('')];
          put(`| ${full.join(' | ')} |`);
          if (i === 0) put(`|${' --- |'.repeat(width)}`);
        }
      table = [];
      blank();
    },
    inCell: (): boolean => inCell,
    end(): string {
      writer.endTable();
      return lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim();
    },
  };
  return writer;
}
export type PageWriter = ReturnType<typeof createPageWriter>;

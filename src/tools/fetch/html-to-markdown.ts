// A page as somebody would read it: title, headings, paragraphs, links, lists, tables, code. Pure.
// Never keeps scripts, styles, menus or forms; links only to http and https.
import { attributeOf, type Token, tokensOf } from './html-tokens.ts';
import { createPageWriter, type PageWriter } from './page-writer.ts';

export type Page = { title: string; text: string };

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Never shown. */
const DROPPED = words(
  'script style template svg canvas iframe object audio video math select textarea title',
);
/** Around the content, and not it. */
const NOISE = words('nav footer button dialog menu');
const APART = words(
  'p article section main header aside figure form fieldset address blockquote ul ol dl table details h1 h2 h3 h4 h5 h6 pre hr body html',
);
const BLOCK = words(
  'div li dt dd summary figcaption caption tr thead tbody tfoot legend option center hgroup label',
);
const VOID = words('br hr img input meta link base wbr area col source track embed');
/** Less than this, and more with the noise: the page is its menu. */
const THIN = 200;

function hrefOf(attributes: string, base: URL): string | null {
  const href = attributeOf(attributes, 'href')?.trim() ?? '';
  if (href === '' || href.startsWith('#') || !URL.canParse(href, base.href)) return null;
  const url = new URL(href, base);
  const shown = /^https?:$/.test(url.protocol) ? url.href : null;
  return shown === null || shown.length > 500 ? null : shown.replaceAll(')', '%29');
}

const isHidden = (attributes: string): boolean =>
  /\bhidden\b|\bdisplay\s*:\s*none|\brole\s*=\s*["']?navigation/i.test(attributes) &&
  (attributeOf(attributes, 'hidden') !== null ||
    attributeOf(attributes, 'aria-hidden') === 'true' ||
    attributeOf(attributes, 'role') === 'navigation' ||
    /display\s*:\s*none/i.test(attributeOf(attributes, 'style') ?? ''));

/** Writes what a tag means. Lists remember their counters, preformatted text its characters. */
function tagsInto(out: PageWriter, start: URL) {
  let base = start;
  /** `next`: number of the next item, or null for signs. An item outside of every list has one of its own. */
  type List = { next: number | null; open: boolean };
  const lists: List[] = [{ next: null, open: false }];
  let quotes = 0;
  let heading = '';
  let pre: string[] | null = null;

  function block(apart: boolean): void {
    if (out.block(apart, heading)) heading = '';
  }

  function closeItem(): void {
    block(false);
    const list = lists.at(-1);
    if (list?.open) out.pop();
    if (list) list.open = false;
  }

  function openItem(): void {
    closeItem();
    const list = lists.at(-1);
    if (out.inCell() || !list) return;
    const sign = list.next === null ? '- ' : `${list.next}. `;
    if (list.next !== null) list.next += 1;
    list.open = true;
    out.push(' '.repeat(sign.length), sign);
  }

  function openList(name: string, attributes: string): void {
    block(lists.length === 1);
    const first = Number(attributeOf(attributes, 'start') ?? 1);
    lists.push({
      next: name === 'ul' ? null : Number.isSafeInteger(first) ? first : 1,
      open: false,
    });
  }

  function closeList(): void {
    if (lists.length < 2) return;
    closeItem();
    lists.pop();
    block(lists.length === 1);
  }

  function openQuote(): void {
    block(true);
    if (out.inCell()) return;
    quotes += 1;
    out.push('> ');
  }

  function closeQuote(): void {
    block(false);
    if (quotes > 0) {
      quotes -= 1;
      out.pop();
    }
    block(true);
  }

  function openPre(): void {
    // Code beside its line numbers is no table.
    if (out.inCell()) out.endTable();
    block(true);
    pre = [];
  }

  function closePre(): void {
    const text = pre?.join('') ?? '';
    pre = null;
    if (text.trim() !== '') out.verbatim(text);
  }

  function image(attributes: string): void {
    const alt = attributeOf(attributes, 'alt')?.trim();
    if (alt) out.text(`[image: ${alt.slice(0, 300)}]`);
  }

  function rebase(attributes: string): void {
    const href = attributeOf(attributes, 'href') ?? '';
    if (URL.canParse(href, base.href)) base = new URL(href, base);
  }

  function open(name: string, attributes: string): void {
    if (pre !== null) {
      if (name === 'br') pre.push('\n');
      return;
    }
    if (name === 'base') rebase(attributes);
    else if (name === 'a') out.openLink(hrefOf(attributes, base));
    else if (name === 'br') out.lineBreak();
    else if (name === 'img') image(attributes);
    else if (name === 'pre') openPre();
    else if (name === 'code') out.text('`');
    else if (name === 'li') openItem();
    else if (name === 'ul' || name === 'ol') openList(name, attributes);
    else if (name === 'blockquote') openQuote();
    else if (name === 'tr') out.openRow();
    else if (name === 'td' || name === 'th') out.openCell();
    else if (APART.has(name)) block(true);
    else if (BLOCK.has(name)) block(false);
    if (/^h[1-6]$/.test(name)) heading = `${'#'.repeat(Number(name[1]))} `;
    if (name === 'dd') out.text(': ');
    if (name !== 'hr') return;
    out.text('---');
    block(true);
  }

  function close(name: string): void {
    if (pre !== null) {
      if (name === 'pre') closePre();
    } else if (name === 'a') out.endLink();
    else if (name === 'code') out.text('`');
    else if (name === 'li') closeItem();
    else if (name === 'ul' || name === 'ol') closeList();
    else if (name === 'blockquote') closeQuote();
    else if (name === 'tr') out.endRow();
    else if (name === 'td' || name === 'th') out.endCell();
    else if (name === 'table') out.endTable();
    else if (APART.has(name)) block(true);
    else if (BLOCK.has(name)) block(false);
    if (/^h[1-6]$/.test(name)) heading = '';
  }

  const text = (said: string): void => {
    if (pre !== null) pre.push(said);
    else out.text(said.replaceAll('\n', ' '));
  };
  return { open, close, text };
}

/** Has no content. Only drawings may say so with a slash. */
const isEmpty = ({ name, attributes }: { name: string; attributes: string }): boolean =>
  VOID.has(name) || ((name === 'svg' || name === 'math') && attributes.endsWith('/'));

/** Leaves out elements as a whole: `skips` says which; what is inside does not matter then. */
function* shown(
  tokens: Iterable<Token>,
  skips: (token: Token & { kind: 'open' }) => boolean,
): Generator<Token> {
  let inside: { name: string; depth: number } | null = null;
  for (const token of tokens) {
    if (inside !== null) {
      if (token.kind === 'text' || token.name !== inside.name) continue;
      inside.depth += token.kind === 'open' ? 1 : -1;
      if (inside.depth === 0) inside = null;
    } else if (token.kind === 'open' && !isEmpty(token) && skips(token))
      inside = { name: token.name, depth: 1 };
    else yield token;
  }
}

function write(html: string, base: URL, withNoise: boolean): string {
  const out = createPageWriter();
  const tags = tagsInto(out, base);
  const skips = ({ name, attributes }: { name: string; attributes: string }): boolean =>
    DROPPED.has(name) || (!withNoise && (NOISE.has(name) || isHidden(attributes)));
  for (const token of shown(tokensOf(html), skips)) {
    if (token.kind === 'text') tags.text(token.text);
    else if (token.kind === 'open') tags.open(token.name, token.attributes);
    else tags.close(token.name);
  }
  // A page that ends inside preformatted text shows it all the same.
  tags.close('pre');
  return out.end();
}

function titleOf(html: string): string {
  let inTitle = false;
  for (const token of tokensOf(html.slice(0, 256 * 1024))) {
    if (inTitle && token.kind === 'text')
      return token.text.replace(/\s+/g, ' ').trim().slice(0, 300);
    inTitle = token.kind === 'open' && token.name === 'title';
  }
  return '';
}

export function htmlToMarkdown(html: string, base: URL): Page {
  const title = titleOf(html);
  const text = write(html, base, false);
  if (text.length >= THIN) return { title, text };
  const all = write(html, base, true);
  return { title, text: all.length > text.length ? all : text };
}

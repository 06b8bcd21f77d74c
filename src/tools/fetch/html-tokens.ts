// Cuts HTML into text and tags, in one pass over it, however broken it is. Pure; no tree, no recursion.
// Never looks back: a page of any shape costs time in proportion to its length.
import { decodeEntities } from './entities.ts';

export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: string }
  | { kind: 'close'; name: string };

/** Elements whose content is no markup. What they hold is text for a title and a textarea, else nothing. */
const RAW = new Set('script style title textarea iframe noembed noframes xmp'.split(' '));
const NAME = /[a-zA-Z][^\s/>]*/y;

/** Position after the `>` that ends the tag; one inside quotes does not. -1 when it never ends. */
function endOfTag(html: string, from: number): number {
  const stop = /[>"']/g;
  stop.lastIndex = from;
  for (let found = stop.exec(html); found; found = stop.exec(html)) {
    if (found[0] === '>') return found.index + 1;
    const isValue = html[found.index - 1] === '=' || /\s/.test(html[found.index - 1] ?? '');
    const close = isValue ? html.indexOf(found[0], found.index + 1) : -1;
    // A quote that is never closed is not one.
    if (isValue && close < 0) return html.indexOf('>', found.index) + 1 || -1;
    if (isValue) stop.lastIndex = close + 1;
  }
  return -1;
}

/** Position after a comment, declaration or processing instruction; the end of the page when it never ends. */
function afterDeclaration(html: string, at: number): number {
  const isComment = html.startsWith('<!--', at);
  const end = isComment ? html.indexOf('-->', at + 4) : html.indexOf('>', at + 2);
  return end < 0 ? html.length : end + (isComment ? 3 : 1);
}

export function* tokensOf(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    if (tag !== at) {
      const text = html.slice(at, tag < 0 ? undefined : tag);
      yield { kind: 'text', text: decodeEntities(text) };
      if (tag < 0) return;
    }
    const next = html[tag + 1] ?? '';
    if (next === '!' || next === '?') {
      at = afterDeclaration(html, tag);
      continue;
    }
    const isClose = next === '/';
    NAME.lastIndex = tag + (isClose ? 2 : 1);
    const name = NAME.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      at = tag + 1;
      while (html[at] === '<' && html[at + 1] === '<') at += 1;
      yield { kind: 'text', text: html.slice(tag, at) };
      continue;
    }
    const start = NAME.lastIndex;
    const end = endOfTag(html, start);
    if (end < 0) return;
    at = end;
    if (isClose) yield { kind: 'close', name };
    else {
      yield { kind: 'open', name, attributes: html.slice(start, end - 1) };
      if (!RAW.has(name)) continue;
      const close = new RegExp(`</${name}[\\s/>]`, 'gi');
      close.lastIndex = at;
      const found = close.exec(html);
      const inner = html.slice(at, found?.index);
      if (name === 'title' || name === 'textarea')
        yield { kind: 'text', text: decodeEntities(inner) };
      at = found?.index ?? html.length;
    }
  }
}

/** The value of an attribute, decoded; null when it is not there. */
export function attributeOf(attributes: string, name: string): string | null {
  const pattern = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  for (const [, key, double, single, bare] of attributes.slice(0, 8_192).matchAll(pattern))
    if (key?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? '');
  return null;
}

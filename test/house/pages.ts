// Reads the pages that people read: links, commands and requests in README and docs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Page = { name: string; text: string };

export const pages = (): Page[] =>
  [
    ...['README.md', 'AGENTS.md', 'CHANGELOG.md'],
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ].map((name) => ({ name, text: readFileSync(name, 'utf8') }));

/** Targets of links and pictures that are files of the repository. */
export const linksOf = ({ text }: Page): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The name that a heading has in a link: `#add-one`. */
export const anchorsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Lines of code blocks, joined where a backslash ends one, and spans of code. */
export function codeOf({ text }: Page): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, body = '']) => body);
  const prose = text.replace(/^```\w*\n[\s\S]*?^```/gm, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, body = '']) => body);
  const lines = blocks.flatMap((body) => body.replace(/\\\n\s*/g, '').split('\n'));
  return [...lines, ...spans].map((line) => line.trim());
}

export type Curl = { method: string; url: string; headers: Record<string, string>; body?: string };

/** The request that a line makes with curl, or null. Knows only the options that the pages use. */
export function curlOf(line: string): Curl | null {
  const at = line.search(/\bcurl /);
  if (at < 0) return null;
  const words = line.slice(at).matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  const curl: Curl = { method: 'GET', url: '', headers: {} };
  let option = '';
  for (const [, single, double, bare] of words) {
    const word = single ?? double ?? bare ?? '';
    if (word === '|' || word === '#') break;
    if (option === '-H') {
      const [name = '', value = ''] = word.split(/: (.*)/);
      curl.headers[name] = value;
    } else if (option === '-d') Object.assign(curl, { method: 'POST', body: word });
    else if (word.includes('://')) curl.url = word;
    else if (!['curl', '-s', '-N', '-i', '-OJ', '-H', '-d'].includes(word))
      throw new Error(`not understood in ${line}: ${word}`);
    option = ['-H', '-d'].includes(word) ? word : '';
  }
  return curl;
}

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { runDemo, shownLines } from '../../scripts/demo-picture.ts';
import type { CliDeps } from '../../src/cli/cli.ts';
import { createProgram } from '../../src/cli/main.ts';
import { anchorsOf, codeOf, curlOf, linksOf, pages } from './pages.ts';

const openApi = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, object>>;
};
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};
const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const { program } = createProgram({
  ...{ env: {}, cwd: '/', version: '0', streams },
  onInterrupt: () => () => {},
} as unknown as CliDeps);

/** What is wrong in any page, as `page: what`. */
const wrongIn = (find: (page: ReturnType<typeof pages>[number]) => string[]): string[] =>
  pages().flatMap((page) => find(page).map((what) => `${page.name}: ${what}`));

it('every link of README and docs leads to a file, and to a heading in it', () => {
  const broken = wrongIn((page) =>
    linksOf(page).filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page.name : normalize(join(dirname(page.name), path));
      if (!existsSync(file)) return true;
      if (anchor === undefined) return false;
      const other = { name: file, text: readFileSync(file, 'utf8') };
      return !anchorsOf(other).includes(anchor);
    }),
  );
  expect(broken).toEqual([]);
});

it('every command of troupe that a page names exists, with its options', () => {
  const known = (words: string[]): boolean => {
    let command: Command = program;
    for (const word of words) {
      const next = command.commands.find((c) => c.name() === word || c.aliases().includes(word));
      if (next) command = next;
      else if (word.startsWith('-')) {
        const flag = word.split('=')[0];
        const all = [...command.options, ...program.options, { long: '--help', short: '-h' }];
        if (!all.some(({ long, short }) => long === flag || short === flag)) return false;
      } else if (command === program || (command.commands.length > 0 && /^[a-z]+$/.test(word)))
        return false;
    }
    return true;
  };
  const unknown = wrongIn((page) =>
    codeOf(page)
      .flatMap((line) => /^(?:npx )?troupe (.+?)(?: {2,}#.*|\s+#.*)?$/.exec(line)?.[1] ?? [])
      .filter((said) => /^[a-z-]/.test(said) && !said.startsWith('listening'))
      .filter((said) => !known(said.replace(/"[^"]*"|<[^>]*>|\[[^\]]*\]/g, 'X').split(/\s+/))),
  );
  expect(unknown).toEqual([]);
});

it('every npm script and every file of the source that a page names exists', () => {
  const unknown = wrongIn((page) => {
    const text = codeOf(page).join('\n');
    const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(test|start)\b)/g)];
    const files = text.matchAll(/(?<![\w./])(?:src|test|scripts|bench|roles)\/[\w./-]+\.\w+/g);
    return [
      ...named.map(([, run, short]) => run ?? short ?? '').filter((name) => !(name in scripts)),
      ...[...files].map(([path]) => path).filter((path) => !existsSync(path)),
    ];
  });
  // Names that stand for one which a reader would choose.
  expect(unknown.filter((line) => !/translator/.test(line))).toEqual([]);
});

it('every request in a page goes to a route of the API, with its method', () => {
  const routes = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace('{path}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  );
  const serves = (method: string, url: string): boolean => {
    const { pathname } = new URL(url);
    if (['/', '/docs', '/openapi.json'].includes(pathname)) return true;
    return routes.some((route) => route.method === method && route.path.test(pathname));
  };
  let seen = 0;
  const unknown = wrongIn((page) => {
    const asked = codeOf(page).flatMap((line) => curlOf(line) ?? []);
    const shown = [...page.text.matchAll(/<(http:\/\/127\.0\.0\.1:8787[^>]*)>/g)];
    seen += asked.length + shown.length;
    return [...asked, ...shown.map(([, url = '']) => ({ method: 'GET', url }))]
      .filter(({ url }) => url.startsWith('http://127.0.0.1:8787'))
      .filter(({ method, url }) => !serves(method, url))
      .map(({ method, url }) => `${method} ${url}`);
  });
  expect(unknown).toEqual([]);
  expect(seen).toBeGreaterThan(8);
});

it('the picture of the demo shows what a demo prints today', { timeout: 120_000 }, () => {
  const svg = readFileSync('docs/images/demo.svg', 'utf8');
  const shown = [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, row = '']) =>
    row
      .replace(/<[^>]+>/g, '')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  );
  /** Times, pids, ports and sizes differ from run to run, and lines end where the picture does. */
  const alike = (line: string): string => line.replace(/\d+/g, '0').slice(0, 70);
  // Agents at work at the same time may change places.
  const lines = (rows: string[]) => rows.map(alike).sort();
  expect(lines(shown)).toEqual(lines(shownLines(runDemo())));
});

// Checks docs/promises.md: every promise must name a test that exists and runs. Reads tests, never runs them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

type ProvenPromise = { id: string; sentence: string; file: string; test: string };
type Promises = { proven: ProvenPromise[]; open: { id: string; sentence: string }[] };

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
const withoutTicks = (cell: string): string => cell.replace(/^`+|`+$/g, '');

/** Rows of four cells are proven promises, rows of two are promises without a test. */
export function parsePromises(markdown: string): Promises {
  const rows = markdown
    .split('\n')
    .filter((line) => /^\| [A-Z]+\d+[a-z]? \|/.test(line))
    .map(cellsOf);
  const proven = rows
    .filter((cells) => cells.length === 4)
    .map(([id = '', sentence = '', file = '', test = '']) => ({
      ...{ id, sentence },
      ...{ file: withoutTicks(file), test: withoutTicks(test) },
    }));
  const open = rows
    .filter((cells) => cells.length === 2)
    .map(([id = '', sentence = '']) => ({ id, sentence }));
  return { proven, open };
}

/** `it.skip.each([…])` → ['it', 'skip', 'each'] */
function chainOf(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee))
    return [...chainOf(callee.expression), callee.name.text];
  if (ts.isCallExpression(callee)) return chainOf(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? chainOf(callee.tag) : [];
}

const isName = (node: ts.Expression): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
/** As the source spells it: a table of tests is named by its template. */
const nameOf = (name: ts.Expression): string =>
  ts.isStringLiteralLike(name) ? name.text : name.getText().replace(/^`|`$/g, '');

const OFF = ['skip', 'todo', 'skipIf', 'runIf', 'fails'];

/** Names of the tests in a source file, and whether each one really runs. */
export function namedTests(source: string): Map<string, 'runs' | 'off'> {
  const found = new Map<string, 'runs' | 'off'>();
  const visit = (node: ts.Node, offAbove: boolean): void => {
    let off = offAbove;
    if (ts.isCallExpression(node)) {
      const chain = chainOf(node.expression);
      const [root = ''] = chain;
      const name = node.arguments[0];
      if (['it', 'test', 'describe'].includes(root)) off ||= chain.some((w) => OFF.includes(w));
      if (['it', 'test'].includes(root) && name && isName(name))
        found.set(nameOf(name), off ? 'off' : 'runs');
    }
    ts.forEachChild(node, (child) => visit(child, off));
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true), false);
  return found;
}

/** One line for everything that is wrong; empty when each promise is kept by a test. */
export function problemsOf({ proven, open }: Promises, root: string): string[] {
  const ids = [...proven, ...open].map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const unproven = proven.flatMap(({ id, file, test }) => {
    if (!existsSync(join(root, file))) return [`${id}: there is no file ${file || '(none named)'}`];
    const state = namedTests(readFileSync(join(root, file), 'utf8')).get(test);
    if (state === 'runs') return [];
    return [
      state === 'off'
        ? `${id}: the test "${test}" in ${file} is switched off`
        : `${id}: ${file} has no test named "${test}"`,
    ];
  });
  return [...twice.map((id) => `${id}: the id stands there more than once`), ...unproven];
}

function main(): void {
  const promises = parsePromises(readFileSync('docs/promises.md', 'utf8'));
  const problems = problemsOf(promises, '.');
  if (promises.proven.length === 0) problems.push('docs/promises.md holds no promise with a test');
  for (const line of problems) console.error(line);
  const { proven, open } = promises;
  console.log(`promises: ${proven.length} with a test, ${open.length} without one yet`);
  if (problems.length > 0) {
    console.error('Correct the row in docs/promises.md, or write the test that it names.');
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();

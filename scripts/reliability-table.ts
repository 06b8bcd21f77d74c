// Writes the table of states into docs/reliability.md from the data that its tests run on, and checks that every test
// that the page names exists. --check writes nothing and exits 1 when something is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { SUBAGENT_STATES } from '../src/domain/subagent.ts';
import { AFTER_KILL, VICTIMS } from '../test/support/state-table.ts';
import { table, withBlocks } from './docs/blocks.ts';
import { namedTests } from './promises.ts';

const PAGE = 'docs/reliability.md';

const states = (): string =>
  table(
    ['State', ...VICTIMS.map((victim) => `${victim} is killed`)],
    SUBAGENT_STATES.map((state) => [state, ...VICTIMS.map((victim) => AFTER_KILL[state][victim])]),
  );

export const withStates = (page: string): Promise<string> => withBlocks(page, { states });

/** One line for every test that the page names and that is not there or does not run. */
export function missingTests(page: string): string[] {
  const named = [...page.matchAll(/`(test\/[\w/.-]+\.ts)`(?:: `([^`]+)`)?/g)];
  return named.flatMap(([, file = '', name]) => {
    if (!existsSync(file)) return [`there is no file ${file}`];
    if (name === undefined) return [];
    const state = namedTests(readFileSync(file, 'utf8')).get(name);
    return state === 'runs' ? [] : [`${file} has no test named "${name}" that runs`];
  });
}

async function main(): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  const made = await withStates(page);
  const problems = missingTests(page);
  if (!process.argv.includes('--check')) writeFileSync(PAGE, made);
  else if (made !== page)
    problems.push(`${PAGE} is stale: run node --import tsx scripts/reliability-table.ts`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();

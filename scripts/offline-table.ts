// Writes the table of docs/offline.md from the requests that the tests run. --check writes nothing and exits 1 when
// it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Expected, OFFLINE_REQUESTS } from '../test/models/support/offline-requests.ts';
import { code, table, withBlocks } from './docs/blocks.ts';

const PAGE = 'docs/offline.md';

const files = (names: string[] = []): string => names.map(code).join(' ');

function result({ says, leaves = {}, holds = {}, there, gone }: Expected): string {
  const written = files([...Object.keys(leaves), ...Object.keys(holds), ...(there ?? [])]);
  return [
    says === undefined ? '' : `the answer holds “${says.split('\n', 1)[0]}”`,
    written === '' ? '' : `${written} is there`,
    gone === undefined ? '' : `${files(gone)} is gone`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const requests = (): string =>
  table(
    ['request', 'role', 'tools', 'what comes of it'],
    OFFLINE_REQUESTS.map(([request, expected]) => [
      request.split('\n', 1)[0]?.replace(/[<>*_`]/g, '\\$&') ?? '',
      files(expected.waves.flat()) || 'main itself',
      files([...new Set(expected.tools)]) || 'none',
      result(expected),
    ]),
  );

export const withRequests = (page: string): Promise<string> => withBlocks(page, { requests });

async function main(): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  const made = await withRequests(page);
  if (!process.argv.includes('--check')) writeFileSync(PAGE, made);
  else if (made !== page) {
    console.error(`${PAGE} is stale: run node --import tsx scripts/offline-table.ts`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseOptions } from 'dependency-cruiser';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { forbidden, options } from './rooms.ts';

const LINES = 300;

const filesUnder = (folder: string, ending = /\.tsx?$/): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join('test', 'fixtures')));

/** `path:line: text` of every line in these files that matches. */
const linesWith = (files: string[], pattern: RegExp): string[] =>
  files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((text, at) => (pattern.test(text) ? [`${path}:${at + 1}: ${text.trim()}`] : [])),
  );

/** In its code: the programs that a file writes for others, as text, may read theirs. */
function readsEnvironment(path: string): boolean {
  const visit = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env') ||
    (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
  return visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
}

/** `rule: from → to` for each import that the table of rooms does not allow. */
async function brokenImports(
  extra: ICruiseOptions = {},
): Promise<{ broken: string[]; files: number }> {
  const { output } = await cruise(['src'], {
    ...options,
    ...extra,
    ruleSet: { forbidden },
    validate: true,
  });
  if (typeof output === 'string') throw new Error(output);
  const broken = output.summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`);
  return { broken, files: output.summary.totalCruised };
}

it('keeps every import inside the table of rooms', { timeout: 60_000 }, async () => {
  const { broken, files } = await brokenImports();
  expect(broken).toEqual([]);
  expect(files).toBeGreaterThan(40);
});

it('notices an import that the table forbids', { timeout: 60_000 }, async () => {
  const root = tempFolder();
  const put = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put('tsconfig.json', readFileSync('tsconfig.json', 'utf8'));
  put('src/domain/word.ts', 'export const word = 1;\n');
  put('src/domain/upward.ts', "import '../http/server.ts';\n");
  put('src/http/server.ts', "import 'node:child_process';\nexport const server = 1;\n");
  put('src/store/db.ts', "import type { A } from '../utils/a.ts';\nexport type B = A;\n");
  put('src/utils/a.ts', 'export type A = 1;\n');
  put('src/tasks/spawn.ts', "import { hub } from '../events/hub.ts';\nexport const x = hub;\n");
  put('src/events/hub.ts', 'export const hub = 1;\n');
  put('src/bin/worker.ts', "import '../models/gateway.ts';\n");
  put('src/models/gateway.ts', 'export const gateway = 1;\n');
  const { broken } = await brokenImports({
    baseDir: root,
    tsConfig: { fileName: join(root, 'tsconfig.json') },
  });
  expect(broken.map((line) => line.split(': ')[0]).sort()).toEqual([
    'child_process-belongs-to-launch-tools-bin',
    'domain-imports',
    'every-file-has-a-room',
    'role-server-stays-lean',
    'store-imports',
    'tasks-names-types-only',
  ]);
});

it('keeps files short enough to be read at once', () => {
  const long = ['src', 'test', 'bench', 'scripts']
    .flatMap((folder) => filesUnder(folder, /\.(tsx?|cjs|mjs)$/))
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  expect(long).toEqual([]);
});

it('reads the environment in config and bin only', () => {
  const elsewhere = filesUnder('src').filter((path) => !/^src\/(config|bin)\//.test(path));
  expect(elsewhere.filter(readsEnvironment)).toEqual([]);
});

it('has no test that is switched off or runs alone', () => {
  const off = /\b(it|test|describe)(\.\w+)*\.(skip|only|todo|skipIf|runIf|fails)\b/;
  expect(linesWith(filesUnder('test'), off)).toEqual([]);
});

it('has no waiting for a fixed time in tests', () => {
  const sleeps = /await (sleep|delay|setTimeout)\(|import .*timers\/promises/;
  expect(linesWith(filesUnder('test'), sleeps)).toEqual([]);
});

it('joins signals in the one way that keeps a deadline', () => {
  const weak = /AbortSignal\.any\(/;
  expect(linesWith([...filesUnder('src'), ...filesUnder('scripts')], weak)).toEqual([]);
});

it('has no room without a name of its own', () => {
  const nameless = filesUnder('src').filter((path) =>
    /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.tsx?$)/.test(path),
  );
  expect(nameless).toEqual([]);
});

it('names no registry host in the lock file', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  const resolved = Object.entries(lock.packages).filter(([, entry]) => entry.resolved);
  expect(resolved).toEqual([]);
  expect(readFileSync('.npmrc', 'utf8')).toContain('omit-lockfile-registry-resolved=true');
});

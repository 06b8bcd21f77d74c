// Builds dist/: one CommonJS file a program, and for the worker the code that V8 has compiled before.
// `--if-stale` does nothing when dist is newer than the sources. Several processes may run it at once.
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { withLock } from './build/lock.ts';
import { buildPage } from './build/page.ts';
import { warmCache } from './build/warm-cache.ts';
import { LOADER } from './build/worker-loader.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'dist/bin');

/** Programs of main, as far as they exist. */
const programs = ['server', 'cli'].filter((name) => existsSync(join(root, `src/bin/${name}.ts`)));
const outputs = ['worker.js', 'worker.bundle.cjs', ...programs.map((name) => `${name}.js`)];
const page = join(root, 'dist/web/index.html');

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'warning',
  legalComments: 'none',
};
const mainProgram: BuildOptions = {
  ...common,
  // Native code, or files that are read from the package's own folder.
  external: ['better-sqlite3', '@fastify/swagger-ui', '@vscode/ripgrep'],
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: {
    'import.meta.url': 'importMetaUrl',
    'import.meta.filename': '__filename',
    'import.meta.dirname': '__dirname',
  },
};
const worker: BuildOptions = {
  ...common,
  // Heavy, and seldom needed by a run: loaded from node_modules when it is.
  external: ['undici', '@vscode/ripgrep'],
  // vm.Script has no import(): what is loaded late is required late.
  supported: { 'dynamic-import': false },
};

/** Newest change below a folder, or of a file; 0 when there is none. */
function newest(path: string): number {
  const at = join(root, path);
  if (!existsSync(at)) return 0;
  const stat = statSync(at);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(at).map((name) => newest(join(path, name))));
}

function isStale(): boolean {
  if (outputs.some((name) => !existsSync(join(bin, name)))) return true;
  if (!existsSync(page)) return true;
  const made = [page, ...outputs.map((name) => join(bin, name))];
  const oldest = Math.min(...made.map((file) => statSync(file).mtimeMs));
  const sources = ['src', 'roles', 'scripts/build.ts', 'scripts/build', 'package-lock.json'];
  return Math.max(...sources.map(newest)) >= oldest;
}

/** Complete or not at all: a process that starts meanwhile reads the old file or the new one. */
function put(file: string, content: string | Uint8Array): void {
  const path = join(root, 'dist', file);
  // npx starts the command line as a program.
  const mode = file === 'bin/cli.js' ? 0o755 : 0o644;
  writeFileSync(`${path}.${process.pid}`, content, { mode });
  renameSync(`${path}.${process.pid}`, path);
}

async function bundle(name: string, file: string, options: BuildOptions): Promise<void> {
  const result = await build({ ...options, entryPoints: [`src/bin/${name}.ts`] });
  put(`bin/${file}`, result.outputFiles?.[0]?.contents ?? '');
}

async function buildAll(): Promise<void> {
  mkdirSync(bin, { recursive: true });
  put('package.json', '{"type":"commonjs"}\n');
  await bundle('worker', 'worker.bundle.cjs', worker);
  put('bin/worker.js', LOADER);
  await Promise.all([
    ...programs.map((name) => bundle(name, `${name}.js`, mainProgram)),
    buildPage(root),
  ]);
  if (!(await warmCache(join(bin, 'worker.js')))) console.warn('the worker left no cached code');
}

const ifStale = process.argv.includes('--if-stale');
if (!ifStale || isStale())
  await withLock(join(root, 'dist/.build-lock'), async () => {
    if (!ifStale || isStale()) await buildAll();
  });

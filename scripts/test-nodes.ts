// `npm run test:nodes [-- 22 24]`: the suite on several versions of Node, each in a copy of the clone of its own.
// Node comes from the npm packages that carry its binary and headers; nothing on the machine is changed.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const DEFAULT = ['20', '22', '24'];
/** Longest time of one command: compiling and testing on a slow machine. */
const COMMAND_MS = 30 * 60_000;

const npm = process.env.npm_execpath;
if (npm === undefined) throw new Error('start this with: npm run test:nodes');

function run(
  what: string,
  node: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): void {
  const { status, signal, error } = spawnSync(node, args, {
    ...{ cwd, env: { ...process.env, ...env } },
    ...{ stdio: 'inherit', timeout: COMMAND_MS },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${what} ended with ${signal ?? `exit code ${status}`}`);
}

/** Every file of the clone that git would keep, with its changes. */
function copyClone(to: string): void {
  const listed = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
  for (const path of listed.stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(path, join(to, path));
  }
}

function testOn(major: string, npmCli: string): void {
  const folder = mkdtempSync(join(tmpdir(), `troupe-node${major}-`));
  // one test runs the server, and with it this Node, as another user
  chmodSync(folder, 0o755);
  try {
    const carrier = `node-${process.platform}-${process.arch}`;
    const clone = join(folder, 'clone');
    mkdirSync(clone);
    const install = ['install', '--prefix', folder, '--no-save', `${carrier}@${major}`];
    run(`installing Node ${major}`, process.execPath, [npmCli, ...install], folder, {});
    copyClone(clone);
    const home = join(folder, 'node_modules', carrier);
    const node = join(home, 'bin', 'node');
    const env = {
      PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
      // native packages are compiled against the headers of that very Node
      npm_config_nodedir: home,
    };
    run('node --version', node, ['--version'], clone, env);
    run('npm ci', node, [npmCli, 'ci'], clone, env);
    run('npm test', node, [npmCli, 'test'], clone, env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
const results = (asked.length > 0 ? asked : DEFAULT).map((major) => {
  console.log(`\n== Node ${major}`);
  try {
    testOn(major, npm);
    return `Node ${major}: ok`;
  } catch (error) {
    process.exitCode = 1;
    return `Node ${major}: ${error instanceof Error ? error.message : error}`;
  }
});
console.log(`\n${results.join('\n')}`);

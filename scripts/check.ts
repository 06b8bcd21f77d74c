// `npm run check`: everything about the source that needs no test run. Runs all steps, then says which failed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Longest time of one step: it hangs when it takes more. */
const STEP_MS = 300_000;

type Step = { name: string; command: string; args: string[]; needs?: string };

const tool = (name: string, ...args: string[]): Step => ({
  name,
  command: `node_modules/.bin/${name}`,
  args,
});
const script = (name: string, ...args: string[]): Step => ({
  name,
  command: process.execPath,
  args: ['--import', 'tsx', `scripts/${name}.ts`, ...args],
  needs: `scripts/${name}.ts`,
});

const steps: Step[] = [
  tool('tsc', '-p', '.'),
  tool('tsc', '-p', 'src/web'),
  tool('tsc', '-p', 'test/page'),
  tool('biome', 'check'),
  tool('knip'),
  script('promises'),
  script('docs', '--check'),
];

const failed: string[] = [];
for (const { name, command, args, needs } of steps) {
  if (needs && !existsSync(needs)) {
    failed.push(`${name} (${needs} is missing)`);
    continue;
  }
  const since = performance.now();
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', timeout: STEP_MS });
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status !== 0) failed.push(error ? `${name} (${error.message})` : name);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

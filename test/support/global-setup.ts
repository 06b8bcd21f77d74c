// Before any test: the stories run the built product, so build it once.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export default function setup(): void {
  if (!existsSync('scripts/build.ts')) return;
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--if-stale'], {
    stdio: 'inherit',
  });
}

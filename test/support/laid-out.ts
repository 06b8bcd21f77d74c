// The built product in a folder of its own, where a test may put another worker.
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** `worker`: any file in place of the real one, which then is worker-real.js beside it; null: none at all. */
export function layOut(root: string, worker: string | null): void {
  for (const name of ['package.json', 'roles', 'node_modules'])
    symlinkSync(join(process.cwd(), name), join(root, name));
  cpSync('dist', join(root, 'dist'), { recursive: true });
  const file = join(root, 'dist/bin/worker.js');
  cpSync(file, join(root, 'dist/bin/worker-real.js'));
  if (worker) cpSync(worker, file);
  else rmSync(file);
}

// A disk that can be filled and emptied at will: a small tmpfs where mounting is allowed, else a limit on the size of
// the files that one process may write.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.ts';

export type SmallDisk = {
  /** For the state of the server that is to suffer. */
  folder: string;
  /** From now on nothing more fits. `pid`: the process that writes. */
  fill(pid: number): void;
  free(pid: number): void;
};

const quietly = (program: string, args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export function smallDisk(mib: number): SmallDisk {
  const folder = tempFolder();
  if (quietly('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0700`, 'none', folder])) {
    // Runs before the folder is removed, and after whoever uses it has ended: later hooks come first.
    onTestFinished(() => void quietly('umount', ['-l', folder]));
    const ballast = join(folder, 'ballast');
    return {
      folder,
      fill() {
        const file = openSync(ballast, 'w');
        for (const size of [1024 * 1024, 4096, 1])
          try {
            for (;;) writeSync(file, Buffer.alloc(size, 'x'));
          } catch {
            // no room for a piece of this size
          }
        closeSync(file);
      },
      free: () => rmSync(ballast),
    };
  }
  const limit = (pid: number, bytes: string): void =>
    void execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  return {
    folder,
    fill(pid) {
      const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
      limit(pid, String(Math.max(...sizes)));
    },
    free: (pid) => limit(pid, 'unlimited'),
  };
}

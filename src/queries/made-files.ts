// Which files of a working folder have been made or changed since a moment. Looks only, at a bounded number of entries;
// follows no links; leaves out the runtime's own folder and those that tools fill by the thousand.
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { KEPT } from '../tools/files/confine.ts';

export type MadeFile = { path: string; size: number };

const LOOKED_AT = 20_000;
const LISTED = 50;
const LEFT_OUT = new Set([KEPT, 'node_modules', '.git']);

/** In no order, at most 50. `since`: RFC 3339. A file that was copied with its old date counts by its birth. */
export async function madeSince(workdir: string, since: string): Promise<MadeFile[]> {
  const from = Date.parse(since);
  const found: MadeFile[] = [];
  const folders = [workdir];
  let looked = 0;
  for (let folder = folders.shift(); folder && looked < LOOKED_AT; folder = folders.shift())
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      looked += 1;
      if (LEFT_OUT.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stat = entry.isFile() ? await lstat(path).catch(() => null) : null;
      if (!stat || Math.max(stat.mtimeMs, stat.birthtimeMs) < from) continue;
      found.push({ path: relative(workdir, path), size: stat.size });
      if (found.length >= LISTED) return found;
    }
  return found;
}

// Which files of a workdir have changed since a moment: what an interrupted or lost agent may have done.
// Looks only, at a bounded number of entries; follows no links.
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

export type ChangedFile = { path: string; size: number; modified_at: string };

/** File times come from a coarser clock: a file written just after a moment may be dated just before it. */
const COARSE_MS = 50;
const LOOKED_AT = 5_000;
const LISTED = 50;
/** The product's own folder, and folders that tools fill by the thousand. */
const LEFT_OUT = new Set(['.troupe', 'node_modules', '.git']);

/** Newest first, at most 50. `since`: RFC 3339. */
export async function changedSince(workdir: string, since: string): Promise<ChangedFile[]> {
  const from = Date.parse(since) - COARSE_MS;
  const found: ChangedFile[] = [];
  const folders = [workdir];
  let looked = 0;
  for (let folder = folders.shift(); folder && looked < LOOKED_AT; folder = folders.shift())
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      looked += 1;
      if (LEFT_OUT.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stat = entry.isFile() ? await lstat(path).catch(() => null) : null;
      if (stat && stat.mtimeMs >= from)
        found.push({
          path: relative(workdir, path),
          size: stat.size,
          modified_at: stat.mtime.toISOString(),
        });
    }
  return found.sort((a, b) => (a.modified_at < b.modified_at ? 1 : -1)).slice(0, LISTED);
}

// Walks a folder tree through open handles, so that no link and no rename leads it outside.
// Never follows links; names in the order of the alphabet.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { KEPT, type OpenedFolder, openChild } from './confine.ts';

export type Found = {
  /** Path relative to where the walk began. */
  rel: string;
  name: string;
  kind: 'file' | 'folder' | 'link';
  folder: OpenedFolder;
};
export type WalkAsk = {
  root: string;
  /** Names of folders that are not entered. */
  skip: ReadonlySet<string>;
  /** Asked before every folder: true ends the walk (deadline, abort, enough). */
  stop(): boolean;
};

const MAX_DEPTH = 64;
const kindOf = (e: Dirent): Found['kind'] | null =>
  e.isDirectory() ? 'folder' : e.isFile() ? 'file' : e.isSymbolicLink() ? 'link' : null;
const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Entries of an open folder by name, without the runtime's own. */
export async function entriesOf(folder: OpenedFolder): Promise<Dirent[]> {
  const all = await readdir(folder.base, { withFileTypes: true });
  return all.filter((e) => !(folder.rel === '' && e.name === KEPT)).sort(byName);
}

export async function* walk(
  folder: OpenedFolder,
  ask: WalkAsk,
  prefix = '',
  depth = 0,
): AsyncGenerator<Found> {
  if (depth > MAX_DEPTH) return;
  for (const entry of await entriesOf(folder).catch(() => [])) {
    if (ask.stop()) return;
    const kind = kindOf(entry);
    if (!kind) continue;
    const rel = prefix + entry.name;
    yield { rel, name: entry.name, kind, folder };
    if (kind !== 'folder' || ask.skip.has(entry.name)) continue;
    // Gone, or a link by now: nothing to walk.
    const child = await openChild(ask.root, folder, entry.name, false).catch(() => null);
    if (!child) continue;
    try {
      yield* walk(child, ask, `${rel}/`, depth + 1);
    } finally {
      await child.handle.close();
    }
  }
}

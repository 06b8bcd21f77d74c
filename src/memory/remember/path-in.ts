// The path of a proposed file by its words alone: relative to the working folder, or why it cannot be one. Pure; where
// the file really is (links) is seen when it is opened.
import { posix } from 'node:path';

/** The runtime's own folder in a working folder. */
const OWN = '.troupe';
const LENGTH = 1_024;

export type PathIn = { path: string; reason?: never } | { path?: never; reason: string };

export function pathIn(workdir: string, given: string): PathIn {
  const text = given.trim().replace(/^[`'"]|[`'"]$/g, '');
  if (text === '') return { reason: 'it names no file' };
  if (text.length > LENGTH) return { reason: `its path is longer than ${LENGTH} characters` };
  const outside = { reason: 'it is outside the working folder' };
  let path = posix.normalize(text);
  if (posix.isAbsolute(path)) {
    const base = workdir.endsWith('/') ? workdir : `${workdir}/`;
    if (!path.startsWith(base)) return outside;
    path = path.slice(base.length);
  }
  const [first = ''] = path.split('/', 1);
  if (first === '..') return outside;
  if (first === OWN) return { reason: `it lies in ${OWN}, the runtime's own folder` };
  if (path === '' || path === '.' || path.endsWith('/')) return { reason: 'it is a folder' };
  return { path };
}

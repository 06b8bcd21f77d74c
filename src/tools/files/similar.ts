// Names near one that does not exist, for the message that says so. Looks into one folder, never beyond it.
import { basename, dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { openFolder } from './confine.ts';
import { entriesOf } from './walk.ts';

const MOST = 3;
const stem = (name: string): string => name.toLowerCase().replace(/\.[^.]*$/, '');

function nearness(wanted: string, name: string): number {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
  if (a === b) return 3;
  if (stem(a) === stem(b)) return 2;
  const [short, long] = a.length < b.length ? [stem(a), b] : [stem(b), a];
  return short.length >= 3 && long.includes(short) ? 1 : 0;
}

/** The error, with what is there instead when a name was not found. */
export async function withSimilar(error: unknown, root: string, path: string): Promise<unknown> {
  if (!(error instanceof AppError && error.code === 'not_found')) return error;
  const folder = await openFolder(root, dirname(path)).catch(() => null);
  if (!folder) return error;
  try {
    const names = (await entriesOf(folder)).map((entry) => entry.name);
    const wanted = basename(path);
    const near = names
      .map((name) => ({ name, score: nearness(wanted, name) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST)
      .map(({ name }) => `"${folder.rel === '' ? '' : `${folder.rel}/`}${name}"`);
    const hint =
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'use list or glob to find it';
    return new AppError('not_found', `${error.message}; ${hint}`);
  } catch {
    return error;
  } finally {
    await folder.handle.close();
  }
}

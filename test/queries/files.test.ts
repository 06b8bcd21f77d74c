import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listFiles, readOne, zipOf } from '../../src/queries/files.ts';
import { tempFolder } from '../support/temp-folder.ts';

function workdir(): { dir: string; secret: string } {
  const folder = tempFolder();
  const dir = join(folder, 'work');
  const secret = join(folder, 'secret.txt');
  mkdirSync(join(dir, '.troupe'), { recursive: true });
  mkdirSync(join(dir, 'src'));
  writeFileSync(secret, 'the key');
  writeFileSync(join(dir, '.troupe', 'whole.txt'), 'kept for the agent');
  writeFileSync(join(dir, 'src', '한글 🎉.txt'), '안녕');
  writeFileSync(join(dir, 'empty.txt'), '');
  symlinkSync(secret, join(dir, 'link.txt'));
  symlinkSync('.troupe/whole.txt', join(dir, 'inner.txt'));
  symlinkSync('/', join(dir, 'root'));
  linkSync(secret, join(dir, 'hard.txt'));
  return { dir, secret };
}

describe('the files of a query', () => {
  it.each([
    '../secret.txt',
    'src/../../secret.txt',
    '/etc/passwd',
    'link.txt',
    'hard.txt',
    'root/etc/passwd',
    'src',
    '.',
    '',
    'nothing.txt',
    'src/\0x',
    '.troupe/whole.txt',
    './.troupe/whole.txt',
    'src/../.troupe/whole.txt',
    './/.troupe//whole.txt',
    'inner.txt',
  ])('"%s" does not exist', async (path) => {
    await expect(readOne(workdir().dir, path)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are given whole, an empty one and names in any script too', async () => {
    const { dir } = workdir();
    const file = await readOne(dir, 'src/한글 🎉.txt');
    expect(file).toMatchObject({ size: 6, name: '한글 🎉.txt' });
    expect(await text(file.stream)).toBe('안녕');
    const empty = await readOne(dir, 'empty.txt');
    writeFileSync(join(dir, 'empty.txt'), 'it has grown meanwhile');
    expect([empty.size, await text(empty.stream)]).toEqual([0, '']);
  });

  it('are listed and zipped without links, and without what the product keeps for itself', async () => {
    const { dir } = workdir();
    expect((await listFiles(dir)).map((f) => f.path).sort()).toEqual([
      'empty.txt',
      'src/한글 🎉.txt',
    ]);
    const zip = (await buffer(await zipOf(dir))).toString('utf8');
    expect(zip).toContain('src/한글 🎉.txt');
    for (const name of ['link.txt', 'inner.txt', 'hard.txt', 'whole.txt', 'root'])
      expect(zip).not.toContain(name);
  });
});

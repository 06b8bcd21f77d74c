// What a search shows, with ripgrep and without it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findRipgrep } from '../../src/tools/files/ripgrep.ts';
import { createGrep } from '../../src/tools/grep.ts';
import { guarded } from '../../src/tools/result.ts';
import { type Kit, toolKit } from './tool-context.ts';

let kit: Kit;
beforeEach(() => {
  kit = toolKit();
  const files = {
    'a.ts': 'one\nneedle 1\ntwo\nthree\nfour\nneedle 2\nfive\nneedle 3\n',
    'src/b.ts': 'needle\n',
    'src/c.md': 'nothing\n',
    'node_modules/m/i.ts': 'needle\n',
    'built/d.ts': 'needle\n',
    '.gitignore': 'built/\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(kit.workdir, dirname(path)), { recursive: true });
    writeFileSync(join(kit.workdir, path), text);
  }
});

describe.each([
  ['with ripgrep', findRipgrep],
  ['without ripgrep', async () => null],
])('grep %s', (_, locate) => {
  const grep = async (args: object): Promise<string> => {
    const tool = guarded(createGrep(locate));
    return (await tool.run({ pattern: 'needle', ...args }, kit.context())).content;
  };

  it('shows lines around each match, apart where others lie between', async () => {
    const rows = ['a.ts-1-one', 'a.ts:2:needle 1', 'a.ts-3-two', '--'];
    const more = ['a.ts-5-four', 'a.ts:6:needle 2', 'a.ts-7-five', 'a.ts:8:needle 3'];
    expect(await grep({ path: 'a.ts', context: 1 })).toBe([...rows, ...more].join('\n'));
    const folder = await grep({ glob: '{a,b}.ts', context: 1, path: '.' });
    expect(folder.split('\n').slice(0, 3)).toEqual(rows.slice(0, 3));
    expect(folder).toMatch(/\n--\nsrc\/b\.ts:1:needle$|\n--\nbuilt/);
  });

  it('names only the files, or counts the lines, of a folder and of one file', async () => {
    expect(await grep({ show: 'files', glob: '{a,b}.ts' })).toBe('a.ts\nsrc/b.ts');
    expect(await grep({ show: 'count', path: 'src' })).toBe('src/b.ts:1');
    expect(await grep({ show: 'count', path: 'a.ts' })).toBe('a.ts:3');
    expect(await grep({ show: 'files', path: 'a.ts' })).toBe('a.ts');
    expect(await grep({ show: 'count', path: 'src/c.md' })).toContain('no match');
  });

  it('searches installed packages only when it is asked to, and says what was left out', async () => {
    expect(await grep({ show: 'files' })).not.toContain('node_modules');
    expect(await grep({ show: 'files', glob: 'node_modules/**' })).toBe('node_modules/m/i.ts');
    expect(await grep({ show: 'files', path: 'node_modules/m' })).toBe('node_modules/m/i.ts');
    expect(await grep({ show: 'files', ignored: true })).toContain('node_modules/m/i.ts');
    expect(await grep({ pattern: 'zebra' })).toContain('"ignored": true searches them too');
    expect(await grep({ show: 'files', path: 'built', ignored: true })).toBe('built/d.ts');
  });

  it('names what is near a folder that is not there', async () => {
    expect(await grep({ path: 'scr/b.js' })).toContain('does not exist');
    expect(await grep({ path: 'src/b.js' })).toContain('did you mean "src/b.ts"?');
  });
});

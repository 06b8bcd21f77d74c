import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGrep } from '../../src/tools/grep.ts';
import { guarded } from '../../src/tools/result.ts';
import { type Kit, noHost, toolKit } from './tool-context.ts';

let kit: Kit;
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(join(kit.workdir, path, '..'), { recursive: true });
  writeFileSync(join(kit.workdir, path), content);
};
const get = (path: string): string => readFileSync(join(kit.workdir, path), 'utf8');

beforeEach(() => {
  kit = toolKit();
});

describe('read', () => {
  it('shows lines with numbers, a range, and how to go on', async () => {
    put('a.txt', Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n'));
    const all = await kit.call('read', { path: 'a.txt' });
    expect(all.content).toMatch(/^ {5}1\tline 1\n/);
    expect(all.content).toMatch(/50\tline 50$/);
    const part = await kit.call('read', { path: 'a.txt', offset: 10, limit: 3 });
    expect(part.content).toContain('    10\tline 10\n    11\tline 11\n    12\tline 12\n');
    expect(part.content).toContain('lines 10-12 of 50');
    expect(part.content).toContain('continue with offset 13');
    expect((await kit.call('read', { path: 'a.txt', offset: 51 })).content).toMatch(/has 50 line/);
  });

  it('says what an empty, missing, binary, UTF-16 and broken file is', async () => {
    put('empty', '');
    put('bin', Buffer.from([1, 2, 0, 3]));
    put('latin', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    put('wide', Buffer.from('\uFEFF안녕\n', 'utf16le'));
    expect((await kit.call('read', { path: 'empty' })).content).toContain('is empty');
    expect((await kit.call('read', { path: 'no' })).content).toContain('does not exist');
    expect((await kit.call('read', { path: '.' })).content).toContain('is a folder');
    expect((await kit.call('read', { path: 'bin' })).content).toContain('binary file of 4 bytes');
    const latin = await kit.call('read', { path: 'latin' });
    expect(latin.content).toContain('caf\uFFFD');
    expect(latin.content).toContain('not valid UTF-8');
    expect((await kit.call('read', { path: 'wide' })).content).toMatch(/안녕[\s\S]*UTF-16LE/);
  });

  it('stays within the limit for huge files and huge lines, byte-exact at chunk borders', async () => {
    put('big', `${'가나다'.repeat(200)}\n`.repeat(40_000));
    const seen = await kit.call('read', { path: 'big' });
    expect(Buffer.byteLength(seen.content)).toBeLessThanOrEqual(30_000);
    expect(seen.content).not.toContain('\uFFFD');
    expect(seen.content).toMatch(/more lines follow; continue with offset \d+/);
    put('long', 'x'.repeat(5_000_000));
    const long = await kit.call('read', { path: 'long' });
    expect(long.content).toContain('line of 5000000 characters cut');
    expect(Buffer.byteLength(long.content)).toBeLessThan(5_000);
  });
});

describe('what helps to go on', () => {
  it('a missing name brings the nearest ones', async () => {
    put('src/server.ts', 'x');
    put('src/Readme.md', 'x');
    const near = await kit.call('read', { path: 'src/server.js' });
    expect(near.content).toContain('"src/server.js" does not exist; did you mean "src/server.ts"?');
    expect((await kit.call('read', { path: 'src/README.md' })).content).toContain(
      '"src/Readme.md"?',
    );
    expect((await kit.call('edit', { path: 'src/serve', old: 'a', new: 'b' })).content).toContain(
      'did you mean "src/server.ts"?',
    );
    expect((await kit.call('read', { path: 'zebra.txt' })).content).toContain('use list or glob');
  });

  it('a name in Hangul is found however it is spelled on the disk', async () => {
    const onDisk = '메모/할일.txt'.normalize('NFD');
    put(onDisk, '하나\n');
    expect((await kit.call('read', { path: '메모/할일.txt' })).content).toContain('하나');
    expect((await kit.call('edit', { path: '메모/할일.txt', old: '하나', new: '둘' })).ok).toBe(
      true,
    );
    expect(get(onDisk)).toBe('둘\n');
    expect((await kit.call('list', { path: '메모' })).content).toBe(
      `${'할일.txt'.normalize('NFD')}\t4 bytes`,
    );
    expect((await kit.call('read', { path: '메모/없음.txt' })).content).toContain('does not exist');
  });

  it('a binary file says what it is', async () => {
    const png = Buffer.alloc(40);
    png.write('\x89PNG\r\n\x1a\n', 'latin1');
    png.writeUInt32BE(640, 16);
    png.writeUInt32BE(480, 20);
    put('a.png', png);
    put('a.zip', Buffer.from('PK\x03\x04\0\0', 'latin1'));
    expect((await kit.call('read', { path: 'a.png' })).content).toContain(
      '"a.png" is a PNG image (640 × 480 pixels) of 40 bytes; read shows only text',
    );
    expect((await kit.call('read', { path: 'a.zip' })).content).toContain('ZIP archive');
  });

  it('an edit shows the lines as they are now', async () => {
    put('a.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
    const { content } = await kit.call('edit', { path: 'a.txt', old: 'four', new: 'vier\nextra' });
    expect(content).toBe(
      'edited a.txt at line 4\n     1\tone\n     2\ttwo\n     3\tthree\n     4\tvier\n     5\textra\n     6\tfive\n     7\tsix\n     8\tseven',
    );
  });

  it('grep ignores case when asked, with ripgrep and without', async () => {
    put('a.txt', 'Needle\n');
    expect((await kit.call('grep', { pattern: '(?i)nEEdle' })).content).toBe('a.txt:1:Needle');
    const plain = createGrep(async () => null);
    const found = await plain.run({ pattern: '(?i)nEEdle' }, kit.context());
    expect(found.content).toBe('a.txt:1:Needle');
  });
});

describe('write', () => {
  it('creates folders, replaces, and writes the exact bytes', async () => {
    const text = '안녕하세요 👋\r\nline\n';
    expect((await kit.call('write', { path: 'a/b/c.txt', content: text })).content).toContain(
      'created a/b/c.txt: 27 bytes',
    );
    expect(get('a/b/c.txt')).toBe(text);
    expect((await kit.call('write', { path: 'a/b/c.txt', content: '' })).content).toBe(
      'replaced a/b/c.txt: 0 bytes, 0 line(s); before: 27 bytes',
    );
    expect(get('a/b/c.txt')).toBe('');
    expect((await kit.call('write', { path: 'a/b', content: 'x' })).content).toContain('folder');
    expect((await kit.call('write', { path: 'a/b/c.txt/d', content: 'x' })).ok).toBe(false);
  });
});

describe('list, glob and grep', () => {
  beforeEach(() => {
    put('src/a.ts', 'export const alpha = 1;\n');
    put('src/deep/b.ts', 'export const beta = alpha;\n');
    put('src/deep/c.js', 'alpha\n');
    put('ignored/d.ts', 'alpha\n');
    put('.gitignore', 'ignored/\n');
    put('.git/config', 'alpha\n');
    put('node_modules/m/i.ts', 'alpha\n');
    put('.troupe/x.log', 'alpha\n');
  });

  it('list names folders and sizes, and not the folder of the runtime', async () => {
    const root = await kit.call('list', {});
    expect(root.content).toContain('src/');
    expect(root.content).toContain('.gitignore\t9 bytes');
    expect(root.content).not.toContain('.troupe');
    expect((await kit.call('list', { path: 'src/deep' })).content).toBe(
      'b.ts\t27 bytes\nc.js\t6 bytes',
    );
    expect((await kit.call('list', { path: 'src/a.ts' })).content).toContain('is not a folder');
  });

  it('glob matches, relative to the working folder', async () => {
    expect((await kit.call('glob', { pattern: '**/*.ts' })).content).toBe(
      'ignored/d.ts\nsrc/a.ts\nsrc/deep/b.ts',
    );
    expect((await kit.call('glob', { pattern: '*.{ts,js}', path: 'src/deep' })).content).toBe(
      'src/deep/b.ts\nsrc/deep/c.js',
    );
    expect((await kit.call('glob', { pattern: '**/*.log' })).content).toBe(
      'no file matches **/*.log',
    );
    expect((await kit.call('glob', { pattern: '*.ts' })).content).toContain('**/*.ts looks below');
    put('.venv/lib/x.ts', '');
    expect((await kit.call('glob', { pattern: '**/x.ts' })).content).toContain('no file');
    for (const named of [{ pattern: '.venv/**' }, { pattern: '**/*', path: '.venv/lib' }])
      expect((await kit.call('glob', named)).content).toBe('.venv/lib/x.ts');
    expect((await kit.call('glob', { pattern: '../**' })).ok).toBe(false);
  });

  it('grep finds lines, respects ignore files, takes a file and a glob', async () => {
    const found = await kit.call('grep', { pattern: 'alpha' });
    expect(found.content.split('\n')).toEqual([
      'src/a.ts:1:export const alpha = 1;',
      'src/deep/b.ts:1:export const beta = alpha;',
      'src/deep/c.js:1:alpha',
    ]);
    const js = await kit.call('grep', { pattern: 'alpha', path: 'src', glob: '*.js' });
    expect(js.content).toBe('src/deep/c.js:1:alpha');
    const file = await kit.call('grep', { pattern: 'al.ha', path: 'src/a.ts' });
    expect(file.content).toBe('src/a.ts:1:export const alpha = 1;');
    expect((await kit.call('grep', { pattern: 'nowhere' })).content).toContain('no match');
    expect((await kit.call('grep', { pattern: '(' })).content).toContain('was not accepted');
    expect((await kit.call('grep', { pattern: '--help' })).content).toContain('no match');
  });

  it('grep is capped and says so', async () => {
    put('many.txt', '한글 needle\n'.repeat(20_000));
    const found = await kit.call('grep', { pattern: 'needle' });
    expect(Buffer.byteLength(found.content)).toBeLessThanOrEqual(30_000);
    expect(found.content).toContain('not all matches');
    expect(found.content).not.toContain('\uFFFD');
  });

  it('grep works without ripgrep', async () => {
    const grep = guarded(createGrep(async () => null));
    const ctx = {
      workdir: kit.workdir,
      run_id: 'r',
      call_id: 'c',
      signal: new AbortController().signal,
      host: noHost,
      result_limit: 30_000,
      tool_timeout_s: 5,
      tool_timeout_max_s: 5,
      fetch_allow: [],
      markers: {},
      untimed: <T>(work: () => Promise<T>) => work(),
      progress() {},
    };
    const found = await grep.run({ pattern: 'alpha', path: 'src', glob: '*.ts' }, ctx);
    expect(found.content).toBe(
      'src/a.ts:1:export const alpha = 1;\nsrc/deep/b.ts:1:export const beta = alpha;',
    );
    expect((await grep.run({ pattern: 'a', path: 'src/deep/c.js' }, ctx)).content).toBe(
      'src/deep/c.js:1:alpha',
    );
  });
});

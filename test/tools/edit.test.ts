import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Kit, toolKit } from './tool-context.ts';

let kit: Kit;
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(join(kit.workdir, path, '..'), { recursive: true });
  writeFileSync(join(kit.workdir, path), content);
};
const get = (path: string): string => readFileSync(join(kit.workdir, path), 'utf8');

beforeEach(() => {
  kit = toolKit();
});

describe('edit', () => {
  it('replaces one place, or all on request', async () => {
    put('a.ts', 'const a = 1;\nconst b = 1;\nconst c = 2;\n');
    const several = await kit.call('edit', { path: 'a.ts', old: '= 1;', new: '= 5;' });
    expect(several.ok).toBe(false);
    expect(several.content).toMatch(/occurs 2 times in a\.ts \(lines 1, 2\).*"all"/);
    expect((await kit.call('edit', { path: 'a.ts', old: 'a = 1', new: 'a = $&' })).ok).toBe(true);
    expect(get('a.ts')).toContain('const a = $&;\n');
    await kit.call('edit', { path: 'a.ts', old: 'const', new: 'let', all: true });
    expect(get('a.ts')).toBe('let a = $&;\nlet b = 1;\nlet c = 2;\n');
  });

  it('helps when the text is not there', async () => {
    put('a.ts', 'function one() {\n\treturn 1;\n}\n');
    const near = await kit.call('edit', { path: 'a.ts', old: 'function onee() {', new: 'x' });
    expect(near.content).toContain('     1\tfunction one() {');
    const space = await kit.call('edit', { path: 'a.ts', old: '{\n  return 1;', new: 'x' });
    expect(space.content).toContain('other white space');
    const numbered = await kit.call('edit', { path: 'a.ts', old: '     3\t}', new: 'x' });
    expect(numbered.content).toContain('leave them out');
    expect(get('a.ts')).toBe('function one() {\n\treturn 1;\n}\n');
  });

  it('shows the piece that was meant, with its numbers', async () => {
    put('a.ts', 'if (a) {\n\tone();\n}\n\nif (b) {\n\ttwo(1);\n\tthree();\n}\n');
    const half = await kit.call('edit', {
      path: 'a.ts',
      old: ') {\n  two(1);\n  three();',
      new: 'x',
    });
    expect(half.content).toMatch(
      /white space.*:\n {5}5\tif \(b\) \{\n {5}6\t\ttwo\(1\);\n {5}7\t\tthree\(\);$/,
    );
    const other = await kit.call('edit', {
      path: 'a.ts',
      old: 'if (b) {\n\ttwo(2);\n\tthree();\n}',
      new: 'x',
    });
    expect(other.content).toMatch(
      /nearest lines.*:\n {5}5\tif \(b\) \{\n {5}6\t\ttwo\(1\);\n {5}7\t\tthree\(\);\n {5}8\t\}$/,
    );
    const long = Array.from({ length: 40 }, (_, i) => `const value${i} = compute(${i});`);
    put('long.ts', long.join('\n'));
    const wrong = long.join('\n').replace('value30 =', 'value30: number =');
    const late = await kit.call('edit', { path: 'long.ts', old: wrong, new: 'x' });
    expect(late.content).toMatch(/are:\n {4}28\tconst value27[\s\S]* {4}31\tconst value30 = /);
    const none = await kit.call('edit', { path: 'a.ts', old: 'zebra quagga', new: 'x' });
    expect(none.content).toContain('No line of the file is like it');
  });

  it('brings no other line end into a file of CRLF, and finds its way in one that has both', async () => {
    put('w.txt', 'one\r\ntwo\r\n');
    await kit.call('edit', { path: 'w.txt', old: 'two', new: '2\n3' });
    expect(get('w.txt')).toBe('one\r\n2\r\n3\r\n');
    expect((await kit.call('read', { path: 'w.txt' })).content).toContain(
      '\n[lines end with CRLF]',
    );
    put('both.txt', 'one\r\ntwo\r\nthree\nfour\n');
    await kit.call('edit', { path: 'both.txt', old: 'one\ntwo', new: '1\n2' });
    await kit.call('edit', { path: 'both.txt', old: 'three\nfour', new: '3\n4' });
    expect(get('both.txt')).toBe('1\r\n2\r\n3\n4\n');
  });

  it('keeps CRLF and refuses what it would damage', async () => {
    put('w.txt', 'one\r\ntwo\r\nthree\r\n');
    await kit.call('edit', { path: 'w.txt', old: 'one\ntwo', new: '1\n2' });
    expect(get('w.txt')).toBe('1\r\n2\r\nthree\r\n');
    put('latin', Buffer.from([0x63, 0xe9]));
    expect((await kit.call('edit', { path: 'latin', old: 'c', new: 'd' })).content).toContain(
      'not valid UTF-8',
    );
    expect((await kit.call('edit', { path: 'w.txt', old: '', new: 'd' })).ok).toBe(false);
    expect((await kit.call('edit', { path: 'w.txt', old: 'three', new: 'three' })).ok).toBe(false);
  });
});

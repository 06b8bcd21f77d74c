import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolKit } from './tool-context.ts';

describe('a role that writes under one folder only', () => {
  const open = () => {
    const kit = toolKit({ write_under: '.cospec' });
    const at = (path: string) => join(kit.workdir, path);
    mkdirSync(at('src'));
    writeFileSync(at('src/a.ts'), 'old');
    return { kit, at };
  };

  it('writes and edits there, and makes folders on the way', async () => {
    const { kit, at } = open();
    expect((await kit.call('write', { path: '.cospec/spec/x/spec.md', content: 'a' })).ok).toBe(
      true,
    );
    const edited = await kit.call('edit', { path: '.cospec/spec/x/spec.md', old: 'a', new: 'b' });
    expect(edited.ok).toBe(true);
    expect(readFileSync(at('.cospec/spec/x/spec.md'), 'utf8')).toBe('b');
  });

  it('is refused everywhere else, by any spelling of the path', async () => {
    const { kit, at } = open();
    const paths = ['src/a.ts', './src/a.ts', '.cospec/../src/a.ts', at('src/a.ts')];
    for (const path of [...paths, '.cospecs/x', '.cospec', 'new.ts', '.COSPEC/x']) {
      const { ok, content } = await kit.call('write', { path, content: 'new' });
      expect([path, ok]).toEqual([path, false]);
      if (path !== '.cospec') expect(content).toContain('writes only below .cospec/');
    }
    expect((await kit.call('edit', { path: 'src/a.ts', old: 'old', new: 'new' })).ok).toBe(false);
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe('old');
    expect(existsSync(at('new.ts'))).toBe(false);
  });

  it('is refused through links that lead out of the folder', async () => {
    const { kit, at } = open();
    mkdirSync(at('.cospec'));
    symlinkSync('../src', at('.cospec/code'));
    symlinkSync('../src/a.ts', at('.cospec/a.md'));
    for (const path of ['.cospec/code/a.ts', '.cospec/code/b.ts', '.cospec/a.md'])
      expect([path, (await kit.call('write', { path, content: 'new' })).ok]).toEqual([path, false]);
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe('old');
    expect(existsSync(at('src/b.ts'))).toBe(false);
  });
});

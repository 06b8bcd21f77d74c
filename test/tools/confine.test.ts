import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { type Kit, toolKit } from './tool-context.ts';

let kit: Kit;
let outside: string;

beforeEach(() => {
  kit = toolKit();
  outside = realpathSync(tempFolder());
  writeFileSync(join(outside, 'f'), 'SECRET');
  mkdirSync(`${kit.workdir}-evil`);
  const evil = `${kit.workdir}-evil`;
  onTestFinished(() => rmSync(evil, { recursive: true, force: true }));
  writeFileSync(join(evil, 'f'), 'SECRET');
  symlinkSync(join(outside, 'f'), join(kit.workdir, 'link'));
  symlinkSync(outside, join(kit.workdir, 'dirlink'));
  symlinkSync(join(outside, 'new'), join(kit.workdir, 'dangling'));
  linkSync(join(outside, 'f'), join(kit.workdir, 'hard'));
  execFileSync('mkfifo', [join(kit.workdir, 'fifo')]);
  symlinkSync('/proc/self/environ', join(kit.workdir, 'env'));
  symlinkSync('/dev/zero', join(kit.workdir, 'zero'));
});

const escapes: [string, () => string][] = [
  ['..', () => `../${outside.split('/').at(-1)}/f`],
  ['an absolute path', () => join(outside, 'f')],
  ['a sibling with the same start', () => `${kit.workdir}-evil/f`],
  ['a sibling through ..', () => `../${kit.workdir.split('/').at(-1)}-evil/f`],
  ['a link to a file', () => 'link'],
  ['a link to a folder', () => 'dirlink/f'],
  ['a dangling link', () => 'dangling'],
  ['a hard link', () => 'hard'],
  ['a pipe', () => 'fifo'],
  ['a device', () => 'zero'],
  ['/proc', () => '/proc/self/environ'],
  ['a link into /proc', () => 'env'],
  ['a NUL byte', () => 'a\0b'],
];

describe('paths that lead outside', () => {
  it.each(escapes)('%s is refused by every file tool', async (_name, path) => {
    const p = path();
    for (const [tool, args] of [
      ['read', { path: p }],
      ['write', { path: p, content: 'EVIL' }],
      ['edit', { path: p, old: 'SECRET', new: 'EVIL' }],
      ['list', { path: p }],
      ['glob', { pattern: '**', path: p }],
      ['grep', { pattern: '.', path: p }],
    ] as const) {
      const result = await kit.call(tool, args);
      expect(result.ok, `${tool}: ${result.content}`).toBe(false);
      expect(result.content).not.toContain('SECRET');
    }
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('SECRET');
    expect(readFileSync(`${kit.workdir}-evil/f`, 'utf8')).toBe('SECRET');
    expect(readdirSync(outside)).toEqual(['f']);
  });

  it('a folder link is not entered by list, glob and grep of the whole folder', async () => {
    for (const [tool, args] of [
      ['glob', { pattern: '**' }],
      ['grep', { pattern: 'SECRET' }],
    ] as const) {
      const result = await kit.call(tool, args);
      expect(result.content).not.toContain('dirlink/f');
    }
  });

  it('says why and what to do', async () => {
    const result = await kit.call('read', { path: '/etc/passwd' });
    expect(result.content).toMatch(/outside the working folder.*Use a path inside/);
    expect((await kit.call('read', { path: 'hard' })).content).toMatch(/hard link/);
    expect((await kit.call('read', { path: 'fifo' })).content).toMatch(/pipe, socket or device/);
  });

  it('does not write new files or folders through a link', async () => {
    expect((await kit.call('write', { path: 'dirlink/x/y', content: 'EVIL' })).ok).toBe(false);
    expect((await kit.call('write', { path: 'dangling/y', content: 'EVIL' })).ok).toBe(false);
    expect(existsSync(join(outside, 'x'))).toBe(false);
    expect(existsSync(join(outside, 'new'))).toBe(false);
  });
});

describe('paths that stay inside', () => {
  it('an absolute path and links inside the folder work', async () => {
    mkdirSync(join(kit.workdir, 'a'));
    writeFileSync(join(kit.workdir, 'a/t'), 'one');
    symlinkSync('a/t', join(kit.workdir, 'alias'));
    symlinkSync('a', join(kit.workdir, 'other'));
    expect((await kit.call('read', { path: join(kit.workdir, 'a/t') })).content).toContain('one');
    expect((await kit.call('edit', { path: 'alias', old: 'one', new: 'two' })).ok).toBe(true);
    expect((await kit.call('write', { path: 'other/u', content: 'three' })).ok).toBe(true);
    expect(readFileSync(join(kit.workdir, 'a/t'), 'utf8')).toBe('two');
    expect(readFileSync(join(kit.workdir, 'a/u'), 'utf8')).toBe('three');
  });

  it('a replaced file keeps its mode and leaves no temporary file', async () => {
    const file = join(kit.workdir, 'run.sh');
    writeFileSync(file, 'old', { mode: 0o755 });
    await kit.call('write', { path: 'run.sh', content: 'new' });
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readdirSync(kit.workdir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it("the runtime's own folder can be read but not written", async () => {
    mkdirSync(join(kit.workdir, '.troupe'));
    writeFileSync(join(kit.workdir, '.troupe/x.log'), 'log');
    symlinkSync('.troupe', join(kit.workdir, 'kept'));
    expect((await kit.call('read', { path: '.troupe/x.log' })).ok).toBe(true);
    expect((await kit.call('write', { path: '.troupe/x.log', content: '' })).ok).toBe(false);
    expect((await kit.call('write', { path: 'kept/y', content: '' })).ok).toBe(false);
  });
});

describe('races', () => {
  const attacker = (script: string): void => {
    const child = spawn(process.execPath, ['-e', `const fs=require('fs');${script}`], {
      stdio: 'ignore',
    });
    onTestFinished(async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    });
  };

  it('a folder swapped for a link, thousands of times: no read and no write leads outside', async () => {
    const b = JSON.stringify(kit.workdir);
    mkdirSync(join(kit.workdir, 'd'));
    writeFileSync(join(kit.workdir, 'd/f'), 'inside');
    attacker(
      `const b=${b},o=${JSON.stringify(outside)};for(;;){try{fs.renameSync(b+'/d',b+'/d2');fs.symlinkSync(o,b+'/d')}catch{} try{fs.unlinkSync(b+'/d')}catch{} try{fs.renameSync(b+'/d2',b+'/d')}catch{} }`,
    );
    let ok = 0;
    let denied = 0;
    for (let i = 0; i < 2_000 || ((ok === 0 || denied === 0) && i < 50_000); i += 1) {
      const seen = await kit.call('read', { path: 'd/f' });
      expect(seen.content).not.toContain('SECRET');
      if (seen.ok) ok += 1;
      else denied += 1;
      if (i % 4 === 0) await kit.call('write', { path: 'd/g', content: 'EVIL' });
    }
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('SECRET');
    expect(readdirSync(outside)).toEqual(['f']);
    expect(ok, 'some reads got through').toBeGreaterThan(0);
    expect(denied, 'the race really happened').toBeGreaterThan(0);
  }, 60_000);

  it('a file swapped for a link: no read and no edit leads outside', async () => {
    writeFileSync(join(kit.workdir, 'real'), 'inside');
    attacker(
      `const b=${JSON.stringify(kit.workdir)},o=${JSON.stringify(join(outside, 'f'))};for(;;){try{fs.symlinkSync(o,b+'/x');fs.renameSync(b+'/x',b+'/t')}catch{} try{fs.symlinkSync('real',b+'/x');fs.renameSync(b+'/x',b+'/t')}catch{} }`,
    );
    let ok = 0;
    for (let i = 0; i < 2_000 || (ok === 0 && i < 20_000); i += 1) {
      const seen = await kit.call('read', { path: 't' });
      expect(seen.content).not.toContain('SECRET');
      if (seen.ok) ok += 1;
      if (i % 4 === 0) await kit.call('edit', { path: 't', old: 'SECRET', new: 'EVIL' });
    }
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('SECRET');
    expect(ok).toBeGreaterThan(0);
  }, 60_000);
});

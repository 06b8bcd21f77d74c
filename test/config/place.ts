// A folder of its own for each test, with a home in it, and the loader pointed at them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LoadAsk, type Loaded, loadConfig } from '../../src/config/load.ts';
import type { Problem } from '../../src/config/problem.ts';
import { AppError } from '../../src/domain/errors.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export type Place = {
  cwd: string;
  home: string;
  write(name: string, text: string): string;
  load(ask?: Partial<LoadAsk>): Loaded;
  /** The problems with which loading fails; [] when it does not. */
  problems(ask?: Partial<LoadAsk>): Problem[];
};

export function newPlace(): Place {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-config-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const cwd = join(top, 'cwd');
  const home = join(top, 'home');
  mkdirSync(cwd);
  mkdirSync(home);
  const load = (ask: Partial<LoadAsk> = {}) =>
    loadConfig({ env: {}, flags: {}, cwd, home, packageRoot: ROOT, ...ask });
  return {
    cwd,
    home,
    load,
    write(name, text) {
      const path = resolve(cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    problems(ask) {
      try {
        load(ask);
        return [];
      } catch (error) {
        if (error instanceof AppError && error.code === 'config_invalid')
          return error.data.problems as Problem[];
        throw error;
      }
    },
  };
}

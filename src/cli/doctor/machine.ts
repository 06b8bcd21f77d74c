// Checks of the machine: Node, programs on the PATH, npm's policy for install scripts. Starts nothing, changes nothing.
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check, Env } from '../cli.ts';

const LEAST = [20, 19] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const enough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  return {
    name: 'node',
    level: enough ? 'ok' : 'fail',
    found: version,
    fix: enough ? '' : `install Node ${LEAST.join('.')} or later`,
  };
}

const executable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Where the program is, or null. */
export function onPath(program: string, env: Env): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, program)).find(executable) ?? null;
}

export function checkGit(env: Env): Check {
  const git = onPath('git', env);
  return git === null
    ? {
        name: 'git',
        level: 'warn',
        found: 'not on the PATH',
        fix: 'install git: agents that are asked for commits or diffs need it',
      }
    : { name: 'git', level: 'ok', found: git, fix: '' };
}

/** `packaged`: the binary that comes as a dependency, or null when its package is missing. */
export function checkRipgrep(packaged: string | null, env: Env): Check {
  const found = packaged !== null && executable(packaged) ? packaged : onPath('rg', env);
  return found === null
    ? {
        name: 'ripgrep',
        level: 'warn',
        found: 'neither packaged nor on the PATH: searching is slower',
        fix: 'run `npm install` without --omit=optional, or install ripgrep',
      }
    : { name: 'ripgrep', level: 'ok', found, fix: '' };
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Where install scripts are switched off, or null. Without them the database binding is not built. */
function scriptsOff(env: Env, files: string[]): string | null {
  if (env.npm_config_ignore_scripts === 'true') return 'npm_config_ignore_scripts=true';
  return (
    files.find((file) => /^\s*ignore-scripts\s*=\s*(true|1)?\s*$/m.test(readText(file))) ?? null
  );
}

export const REBUILD = 'npm rebuild better-sqlite3 --ignore-scripts=false --foreground-scripts';

export function checkNpmScripts(env: Env, { cwd, home }: { cwd: string; home: string }): Check {
  const where = scriptsOff(env, [join(cwd, '.npmrc'), join(home, '.npmrc')]);
  return where === null
    ? { name: 'npm scripts', level: 'ok', found: 'install scripts are not switched off', fix: '' }
    : {
        name: 'npm scripts',
        level: 'warn',
        found: `switched off by ${where}`,
        fix: `after an install run: ${REBUILD}`,
      };
}

/** `load` opens and closes a database in memory; what it throws is the finding. */
export async function checkSqlite(load: () => Promise<void>): Promise<Check> {
  try {
    await load();
    return { name: 'database', level: 'ok', found: 'the SQLite binding loads', fix: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return { name: 'database', level: 'fail', found: `the SQLite binding: ${why}`, fix: REBUILD };
  }
}

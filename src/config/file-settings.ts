// The settings in one config.toml: every key checked against the table, unknown ones named with the nearest that
// exists. Leaves [async_subagents.*] to the roles.
import { type Findings, takeSecret, takeSecretFile, takeToml, wrong } from './finding.ts';
import { shown, shownType } from './kind.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import { byPath, SECTIONS, SETTINGS } from './schema.ts';
import { SKIPPED, type TomlFile } from './toml-file.ts';

export const ROLES_TABLE = 'async_subagents';

export const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const topTables = [...SECTIONS].filter((s) => !s.includes('.')).concat(`${ROLES_TABLE}.<role>`);

/** Keys and tables directly inside a section; '' is the top of the file. */
function inside(section: string): string[] {
  const prefix = section === '' ? '' : `${section}.`;
  const names = [...SETTINGS.map((s) => s.path), ...SECTIONS]
    .filter((path) => path.startsWith(prefix) && path !== section)
    .map((path) => path.slice(prefix.length).split('.')[0] ?? '');
  return [...new Set(names)];
}

/** The setting that a misplaced or misspelt key may mean, as it should be written. */
function hintFor(section: string, key: string): string | undefined {
  const near = nearest(key, inside(section));
  if (near) return `"${near}"`;
  const row = SETTINGS.find(
    (s) =>
      s.path.split('.').at(-1) === key || ('env' in s && s.env.toLowerCase() === key.toLowerCase()),
  );
  const full = row?.path ?? nearest(section === '' ? key : `${section}.${key}`, byPath.keys());
  return full
    ? `"${full.split('.').at(-1)}" in [${full.split('.').slice(0, -1).join('.')}]`
    : undefined;
}

export function fileSettings(
  file: TomlFile,
  home: string,
  folder: string,
  problems: Problem[],
): Findings {
  const into: Findings = new Map();
  const base = { home, folder };
  const place = (path: string[]) => ({
    file: file.name,
    line: file.line(path),
    key: path.join('.'),
  });

  const setting = (path: string[], value: unknown, holder: Record<string, unknown>): boolean => {
    const dotted = path.join('.');
    const plain = byPath.get(dotted);
    const fromFile = dotted.endsWith('_file')
      ? byPath.get(dotted.slice(0, -'_file'.length))
      : undefined;
    const row = plain ?? (fromFile?.secret ? fromFile : undefined);
    if (!row) return false;
    const target = { into, path: row.path, kind: row.type, at: place(path), problems, base };
    const leaf = path.at(-1) ?? '';
    if (!row.secret) takeToml(target, value);
    else if (plain && Object.hasOwn(holder, `${leaf}_file`))
      wrong(problems, target.at, `both ${leaf} and ${leaf}_file`, 'one of the two');
    else if (plain) takeSecret(target, value);
    else if (!Object.hasOwn(holder, leaf.slice(0, -'_file'.length))) takeSecretFile(target, value);
    return true;
  };

  const unknown = (path: string[], value: unknown): void => {
    const section = path.slice(0, -1).join('.');
    const key = path.at(-1) ?? '';
    const table = isTable(value) && section === '';
    const hint = table ? nearest(key, topTables) : hintFor(section, key);
    const allow =
      section === ''
        ? `the tables ${topTables.map((t) => `[${t}]`).join(' ')}`
        : `in [${section}]: ${inside(section).join(', ')}`;
    const found = table ? `an unknown table [${key}]` : `an unknown key "${key}"`;
    wrong(problems, place(path), found, allow, table && hint ? `[${hint}]` : hint);
  };

  const walk = (table: Record<string, unknown>, path: string[]): void => {
    for (const [key, value] of Object.entries(table)) {
      const here = [...path, key];
      const dotted = here.join('.');
      if (key.startsWith(SKIPPED) || (path.length === 0 && key === ROLES_TABLE)) continue;
      // A quoted key with a dot is not a path.
      if (key.includes('.')) unknown(here, value);
      else if (setting(here, value, table)) continue;
      else if (!SECTIONS.has(dotted)) unknown(here, value);
      else if (isTable(value)) walk(value, here);
      else
        wrong(
          problems,
          place(here),
          secretLike(key) ? shownType(value) : shown(value),
          `a table [${dotted}]`,
        );
    }
  };
  walk(file.tables, []);
  return into;
}

const secretLike = (key: string): boolean => /key|token|secret|password/i.test(key);

// Role definitions as they stand in files: roles/<name>/ and [async_subagents.<name>]. Judges each key by itself;
// what depends on other roles is judged by roles.ts.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_ROLES, WORKFLOW_ROLES } from '../domain/role.ts';
import { isTable, ROLES_TABLE } from './file-settings.ts';
import { type At, type Findings, type Report, takeToml, wrong } from './finding.ts';
import { shown } from './kind.ts';
import { nearest } from './nearest.ts';
import { goodRoleName, ROLE_FIELDS, ROLE_NAME_RULE, roleField } from './role-fields.ts';
import { readText, readToml, reason, type TomlFile } from './toml-file.ts';

export type RoleTable = { name: string; fields: Findings; at: At };

type Reading = {
  file: TomlFile;
  /** Where the table stands in the file. */
  path: string[];
  report: Report;
  /** Another product's file: keys that we do not know are warnings. */
  foreign: boolean;
};

function readFields(
  table: Record<string, unknown>,
  { file, path, report, foreign }: Reading,
): Findings {
  const into: Findings = new Map();
  for (const [key, value] of Object.entries(table)) {
    const here = [...path, key];
    const at = { file: file.name, line: file.line(here), key: here.join('.') };
    const row = roleField.get(key);
    const base = { folder: '/', home: '/' };
    if (row)
      takeToml({ into, path: key, kind: row.type, at, problems: report.problems, base }, value);
    else {
      const names = ROLE_FIELDS.map((f) => f.field);
      const hint = nearest(key, names);
      wrong(
        foreign ? report.warnings : report.problems,
        at,
        `an unknown key "${key}"`,
        names.join(', '),
        hint && `"${hint}"`,
      );
    }
  }
  return into;
}

/** The tables of one config file. Wrong names and things that are no tables become problems. */
export function roleTables(file: TomlFile, report: Report, foreign: boolean): RoleTable[] {
  const tables = file.tables[ROLES_TABLE];
  if (tables === undefined) return [];
  const place = (path: string[]) => ({
    file: file.name,
    line: file.line(path),
    key: path.join('.'),
  });
  if (!isTable(tables)) {
    wrong(report.problems, place([ROLES_TABLE]), shown(tables), `tables [${ROLES_TABLE}.<role>]`);
    return [];
  }
  const found: RoleTable[] = [];
  for (const [name, table] of Object.entries(tables)) {
    const path = [ROLES_TABLE, name];
    const at = place(path);
    if (!isTable(table))
      wrong(report.problems, at, shown(table), `a table [${ROLES_TABLE}.<role>]`);
    else if (!goodRoleName(name))
      wrong(
        report.problems,
        at,
        `the role name ${JSON.stringify(name)}`,
        ROLE_NAME_RULE,
        name === 'main' ? '[main]' : undefined,
      );
    else found.push({ name, at, fields: readFields(table, { file, path, report, foreign }) });
  }
  return found;
}

/** Folder of `roles/` that holds the roles of the workflows. */
const STRICT = 'strict';

/** Folders of `roles/` that hold a role: the built-in ones in their order, others by name, those of the workflows. */
function roleFolders(root: string): { name: string; folder: string }[] {
  const folders = existsSync(root)
    ? readdirSync(root).filter((n) => existsSync(join(root, n, 'role.toml')))
    : [];
  const others = folders.filter((n) => !(BUILT_IN_ROLES as readonly string[]).includes(n));
  return [
    ...[...BUILT_IN_ROLES, ...others.sort()].map((name) => ({ name, folder: name })),
    ...WORKFLOW_ROLES.map((name) => ({ name, folder: `${STRICT}/${name}` })),
  ];
}

/** Reads `roles/`. A built-in role that is not there is a problem: the installation is incomplete. */
export function packagedRoles(root: string, report: Report): RoleTable[] {
  return roleFolders(root).map(({ name, folder }) => {
    const at = { file: `roles/${folder}/role.toml`, line: null, key: name };
    const prompt = { ...at, file: `roles/${folder}/prompt.md` };
    let fields: Findings = new Map();
    try {
      const file = readToml(at.file, join(root, folder, 'role.toml'));
      report.problems.push(...file.problems);
      fields = readFields(file.tables, { file, path: [], report, foreign: false });
    } catch (error) {
      wrong(report.problems, at, reason(error), 'a readable file in the installation');
    }
    try {
      const value = readText(join(root, folder, 'prompt.md')).trim();
      fields.set('system_prompt', { value, source: 'built-in', at: prompt });
    } catch (error) {
      wrong(report.problems, prompt, reason(error), 'a readable file in the installation');
    }
    for (const finding of fields.values()) finding.source = 'built-in';
    return { name, at, fields };
  });
}

// The settings in the environment and in flags. An empty variable means "not set" only where "not set" is a value;
// a number that is empty is a mistake.
import { type Findings, takeSecretFile, takeSecretText, takeText, wrong } from './finding.ts';
import type { Base } from './kind.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import { SETTINGS, type Setting } from './schema.ts';

export type Env = Readonly<Record<string, string | undefined>>;
/** By name without dashes, `state-dir` or `stateDir`. */
export type Flags = Readonly<Record<string, string | number | boolean | undefined>>;

const PREFIX = 'TROUPE_';
/** Variables of this family that are no settings: the file's name, the client's server, marks on children. */
const OTHERS = [
  'TROUPE_CONFIG',
  'TROUPE_URL',
  'TROUPE_INSTANCE',
  'TROUPE_SERVER',
  'TROUPE_RUN',
  'TROUPE_CALL',
];

/** Every variable that is read, in the order of the table. */
export const envNames = (): string[] =>
  (SETTINGS as readonly Setting[]).flatMap((s) =>
    s.env ? (s.secret ? [s.env, `${s.env}_FILE`] : [s.env]) : [],
  );

function variable(
  row: Setting,
  name: string,
  env: Env,
  into: Findings,
  problems: Problem[],
  base: Base,
) {
  const optional = row.default === null || row.secret === true;
  const read = (n: string) => (optional && env[n] === '' ? undefined : env[n]);
  const text = read(name);
  const file = row.secret ? read(`${name}_FILE`) : undefined;
  const at = { file: 'environment', line: null, key: file === undefined ? name : `${name}_FILE` };
  const target = { into, path: row.path, kind: row.type, at, problems, base };
  if (text !== undefined && file !== undefined)
    wrong(problems, { ...at, key: name }, `both ${name} and ${name}_FILE`, 'one of the two');
  else if (file !== undefined) takeSecretFile(target, file);
  else if (text !== undefined && row.secret) takeSecretText(target, text);
  else if (text !== undefined) takeText(target, text);
}

/** `warnings` gets variables that look like ours and are not. */
export function envSettings(
  env: Env,
  base: Base,
  problems: Problem[],
  warnings: Problem[],
): Findings {
  const into: Findings = new Map();
  for (const row of SETTINGS as readonly Setting[])
    if (row.env) variable(row, row.env, env, into, problems, base);
  const known = [...envNames(), ...OTHERS];
  for (const key of Object.keys(env))
    if (key.startsWith(PREFIX) && !known.includes(key))
      wrong(
        warnings,
        { file: 'environment', line: null, key },
        'an unknown variable (ignored)',
        known.filter((n) => n.startsWith(PREFIX)).join(', '),
        nearest(key, known),
      );
  return into;
}

export function flagSettings(flags: Flags, base: Base, problems: Problem[]): Findings {
  const into: Findings = new Map();
  const rows = new Map(
    (SETTINGS as readonly Setting[]).flatMap((s) => (s.flag ? [[s.flag, s] as const] : [])),
  );
  for (const [given, value] of Object.entries(flags)) {
    const name = given.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
    if (value === undefined || name === 'config') continue;
    const at = { file: 'flags', line: null, key: `--${name}` };
    const row = rows.get(name);
    const list = [...rows.keys(), 'config'];
    if (!row)
      wrong(
        problems,
        at,
        'an unknown flag',
        list.map((n) => `--${n}`).join(' '),
        nearest(name, list),
      );
    else takeText({ into, path: row.path, kind: row.type, at, problems, base }, String(value));
  }
  return into;
}

// The whole configuration from all its sources, later ones winning key by key: defaults, ~/.deepagents/config.toml
// (roles only), config.toml, environment, flags. Collects every mistake before it throws; changes nothing outside.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Role, RoleSources } from '../domain/role.ts';
import { type Env, envSettings, type Flags, flagSettings } from './env-settings.ts';
import { fileSettings } from './file-settings.ts';
import { type Findings, newReport, type Report, wrong } from './finding.ts';
import type { Base } from './kind.ts';
import { createMainPrompt, type MainPrompt, type PromptPart } from './main-prompt.ts';
import { configInvalid, type Problem } from './problem.ts';
import { packagedRoles, roleTables } from './role-tables.ts';
import { buildRegistry, mergeRoles, resolveNames, withAsyncTools } from './roles.ts';
import { checkRules } from './rules.ts';
import { type Config, freezeDeep, nest, SETTINGS, type Setting } from './schema.ts';
import { readText, readToml, reason, type TomlFile } from './toml-file.ts';
import { TOOL_NAMES } from './tool-names.ts';

export type LoadAsk = {
  env: Env;
  flags: Flags;
  /** Absolute; `./config.toml` and relative paths of environment and flags start here. */
  cwd: string;
  home: string;
  /** Folder of the installation that holds `roles/`. */
  packageRoot: string;
};

export type Loaded = {
  config: Config;
  /** The built-in ten in their order, then others. */
  roles: readonly Role[];
  roleSources: ReadonlyMap<string, RoleSources>;
  /** By path of the setting: `default`, `file:line`, `env NAME`, `flag --name`. */
  sources: ReadonlyMap<string, string>;
  /** The main agent's prompt, `[main] prompt` at its end. */
  mainPrompt: MainPrompt;
  warnings: readonly Problem[];
  /** The config.toml that was read, absolute; null when there is none. */
  file: string | null;
};

/** Short name of a file for people: relative when it lies below the current folder. */
function nameOf(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') || short === '' ? path : short;
}

type Named = { path: string; by: string } | null;

/** The config.toml to read: a named one, else the first that exists, else none. */
function configPath({ env, flags, cwd, home }: LoadAsk): { path: string; named: Named } | null {
  const flag = flags.config;
  const named = flag !== undefined ? String(flag) : env.TROUPE_CONFIG || undefined;
  if (named !== undefined) {
    const path = named.startsWith('~/') ? resolve(home, named.slice(2)) : resolve(cwd, named);
    return { path, named: { path, by: flag !== undefined ? '--config' : 'TROUPE_CONFIG' } };
  }
  const usual = [join(cwd, 'config.toml'), join(home, '.troupe', 'config.toml')];
  const path = usual.find((p) => existsSync(p));
  return path === undefined ? null : { path, named: null };
}

function readConfig(
  path: string,
  named: Named,
  cwd: string,
  { problems }: Report,
): TomlFile | null {
  try {
    const file = readToml(nameOf(path, cwd), path);
    problems.push(...file.problems);
    return file;
  } catch (error) {
    const key = named?.by ?? 'config.toml';
    wrong(
      problems,
      { file: nameOf(path, cwd), line: null, key },
      reason(error),
      'a readable TOML file',
    );
    return null;
  }
}

function defaults(base: Base): Map<string, unknown> {
  return new Map(
    (SETTINGS as readonly Setting[]).map(({ path, type, default: value }) => [
      path,
      type.kind === 'path' ? resolve(base.folder, String(value)) : structuredClone(value),
    ]),
  );
}

function mainPromptParts(
  ask: LoadAsk,
  config: Config,
  found: Findings,
  { problems }: Report,
): PromptPart[] {
  const file = 'roles/main/prompt.md';
  const parts: PromptPart[] = [];
  try {
    const text = readText(join(ask.packageRoot, 'roles', 'main', 'prompt.md'));
    parts.push({ file, line: null, text });
  } catch (error) {
    wrong(
      problems,
      { file, line: null, key: 'main agent prompt' },
      reason(error),
      'a readable file in the installation',
    );
  }
  const at = found.get('main.prompt')?.at;
  if (config.main.prompt !== null && at)
    parts.push({ file: at.file, line: at.line, text: config.main.prompt });
  return parts;
}

/** "*" and the names in [main], made of what is registered. */
function resolveMain(
  config: Config,
  found: Findings,
  roles: readonly Role[],
  report: Report,
): Config {
  const at = (key: string) => found.get(key)?.at ?? { file: 'defaults', line: null, key };
  const names = roles.map((r) => r.name);
  const may_start = resolveNames(
    config.main.may_start,
    names,
    'role',
    at('main.may_start'),
    report,
  );
  // Reading the web is the researcher's work; the main agent has fetch only when it is named.
  const all = TOOL_NAMES.filter((name) => name !== 'fetch' || config.main.tools.includes(name));
  const asked = resolveNames(
    config.main.tools,
    config.main.tools.includes('*') ? all : TOOL_NAMES,
    'tool',
    at('main.tools'),
    report,
  );
  return freezeDeep({
    ...config,
    main: { ...config.main, may_start, tools: withAsyncTools(asked, may_start) },
  });
}

/** Throws AppError `config_invalid` that names every mistake; see configInvalid. */
export function loadConfig(ask: LoadAsk): Loaded {
  const report = newReport();
  const base = { folder: ask.cwd, home: ask.home };
  const chosen = configPath(ask);
  const own = chosen && readConfig(chosen.path, chosen.named, ask.cwd, report);
  const foreignPath = join(ask.home, '.deepagents', 'config.toml');
  const foreign = existsSync(foreignPath) ? readConfig(foreignPath, null, ask.cwd, report) : null;

  const found: Findings = new Map([
    ...(own ? fileSettings(own, ask.home, dirname(own.path), report.problems) : []),
    ...envSettings(ask.env, base, report.problems, report.warnings),
    ...flagSettings(ask.flags, base, report.problems),
  ]);
  const values = defaults(base);
  for (const [path, { value }] of found) values.set(path, value);
  const settings = nest(values);
  checkRules(settings, found, report);

  const tables = mergeRoles(
    [
      ...packagedRoles(join(ask.packageRoot, 'roles'), report),
      ...(foreign ? roleTables(foreign, report, true) : []),
      ...(own ? roleTables(own, report, false) : []),
    ],
    report,
  );
  const { roles, sources: roleSources } = buildRegistry(tables, settings.subagents.host, report);
  const config = resolveMain(settings, found, roles, report);
  const parts = mainPromptParts(ask, config, found, report);
  const mainPrompt = createMainPrompt(parts, roles, config.main.may_start);
  report.warnings.push(...mainPrompt.problems(null));
  if (report.problems.length > 0) throw configInvalid(report.problems);
  return Object.freeze({
    config,
    roles,
    roleSources,
    sources: new Map(SETTINGS.map(({ path }) => [path, found.get(path)?.source ?? 'default'])),
    mainPrompt,
    warnings: Object.freeze(report.warnings),
    file: own?.path ?? null,
  });
}

// The registry: packaged roles, overridden key by key, then the roles that configuration adds. Every name in it
// exists: tools, roles that may be started, alternates.
import { posix } from 'node:path';
import type { Role, RoleSources } from '../domain/role.ts';
import { MAIN_ROLE } from '../domain/workflow.ts';
import { type At, type Finding, type Report, wrong } from './finding.ts';
import { shown } from './kind.ts';
import { nearest } from './nearest.ts';
import { ROLE_FIELDS } from './role-fields.ts';
import type { RoleTable } from './role-tables.ts';
import { freezeDeep } from './schema.ts';
import { ASYNC_TOOLS, TOOL_NAMES, USUAL_TOOLS } from './tool-names.ts';

export type Registry = {
  roles: readonly Role[];
  known: Known;
  /** By role name. */
  sources: ReadonlyMap<string, RoleSources>;
};

/** `layers`: packaged roles first; later tables win, key by key. */
export function mergeRoles(layers: readonly RoleTable[], report: Report): RoleTable[] {
  const merged = new Map<string, RoleTable>();
  for (const { name, fields, at } of layers) {
    const before = merged.get(name);
    if (before) for (const [field, finding] of fields) before.fields.set(field, finding);
    else merged.set(name, { name, at, fields: new Map(fields) });
  }
  const seen = new Map<string, string>();
  for (const { name, at, fields } of merged.values()) {
    const twin = seen.get(name.toLowerCase());
    if (twin)
      wrong(
        report.problems,
        at,
        `"${name}" beside "${twin}"`,
        'names that differ in more than upper and lower case',
      );
    seen.set(name.toLowerCase(), name);
    if (!fields.has('description')) {
      const hint = nearest(
        name,
        [...merged.keys()].filter((n) => n !== name),
      );
      wrong(
        report.problems,
        { ...at, key: `${at.key}.description` },
        'nothing',
        'a description, which a new role must have',
        hint && `the role "${hint}"`,
      );
    }
  }
  return [...merged.values()];
}

/** Checks a list of names and resolves "*" to `star`. Unknown names become problems and are left out. */
export function resolveNames(
  names: readonly string[],
  known: readonly string[],
  what: string,
  at: At,
  report: Report,
  star: readonly string[] = known,
): string[] {
  for (const name of names)
    if (name !== '*' && !known.includes(name)) {
      const hint = nearest(name, known);
      wrong(
        report.problems,
        at,
        `the unknown ${what} "${name}"`,
        `"*" or ${known.join(', ')}`,
        hint && `"${hint}"`,
      );
    }
  const all = names.flatMap((name) => (name === '*' ? star : [name]));
  return [...new Set(all)].filter((name) => known.includes(name));
}

/** Which roles there are, and which of them are hidden from whom. */
export type Known = {
  names: readonly string[];
  /** Those that stand in lists and that "*" means. */
  listed: readonly string[];
  /** By name of a hidden role. */
  visible_to: ReadonlyMap<string, readonly string[]>;
};

/** Whom `parent` may start. A hidden role is named by those it is visible to, and by nobody else. */
export function resolveMayStart(
  names: readonly string[],
  parent: string,
  known: Known,
  at: At,
  report: Report,
): string[] {
  const found = resolveNames(names, known.names, 'role', at, report, known.listed);
  return found.filter((name) => {
    const seen_by = known.visible_to.get(name);
    if (!seen_by || seen_by.includes('*') || seen_by.includes(parent)) return true;
    wrong(
      report.problems,
      at,
      `the role "${name}", which is hidden from ${parent}`,
      `roles that are visible to ${parent}; "${name}" is visible to ${seen_by.join(', ') || 'nobody'}`,
      `visible_to with "${parent}" in it, in the table of "${name}"`,
    );
    return false;
  });
}

/** "*" stays: it means every role that names this one. */
function resolveVisibleTo(
  names: readonly string[] | null,
  known: Known,
  at: At,
  report: Report,
): string[] | null {
  return names && resolveNames(names, ['*', ...known.names, MAIN_ROLE], 'role', at, report, ['*']);
}

/** An agent that may start others has the async tools; one that may not has none. A choice among them stands. */
export function withAsyncTools(tools: readonly string[], mayStart: readonly string[]): string[] {
  const isAsync = (tool: string) => (ASYNC_TOOLS as readonly string[]).includes(tool);
  if (mayStart.length === 0) return tools.filter((tool) => !isAsync(tool));
  return tools.some(isAsync) ? [...tools] : [...tools, ...ASYNC_TOOLS];
}

const shortPrompt = (name: string, description: string): string =>
  `You are the ${name} agent. ${description}\n\nDo the task you are given completely, in the working folder. Check what you made before you report it. Answer with a short summary that names the files you changed and what is left open.`;

const at = (finding: Finding | undefined, table: RoleTable): At => finding?.at ?? table.at;

function checkAddress(table: RoleTable, report: Report): void {
  const { fields } = table;
  const url = fields.get('url');
  const port = fields.get('port');
  const fixed = port !== undefined && port.value !== 0;
  if (url && fixed)
    wrong(
      report.problems,
      port.at,
      `both url and port in the role "${table.name}"`,
      'url (someone else runs it) or port (started here)',
    );
  if (url && fields.get('transport')?.value === 'inproc')
    wrong(
      report.problems,
      at(fields.get('transport'), table),
      `transport "inproc" with a url in the role "${table.name}"`,
      'transport "http" when there is a url',
    );
  if (fixed && Number(fields.get('instances')?.value ?? 1) > 1)
    wrong(
      report.problems,
      port.at,
      `a fixed port for several instances of "${table.name}"`,
      'port = 0 when instances is more than 1',
    );
}

function checkWriteUnder(table: RoleTable, tools: readonly string[], report: Report): void {
  const folder = table.fields.get('write_under');
  if (!folder) return;
  const path = posix.normalize(String(folder.value));
  if (posix.isAbsolute(path) || path === '.' || path.startsWith('..'))
    wrong(
      report.problems,
      folder.at,
      shown(folder.value),
      'a folder below the workdir, e.g. ".cospec"',
    );
  if (tools.includes('shell'))
    wrong(
      report.problems,
      folder.at,
      `write_under beside the tool shell in the role "${table.name}"`,
      'write_under for a role without shell, whose commands could write anywhere',
    );
}

function alternateOf(table: RoleTable, known: readonly string[], report: Report): string | null {
  const finding = table.fields.get('alternate');
  const name = String(finding?.value ?? 'reviewer');
  if (name === 'none') return null;
  if (known.includes(name) && name !== table.name) return name;
  if (!finding) return null;
  const others = known.filter((n) => n !== table.name);
  const self = name === table.name;
  const hint = self ? undefined : nearest(name, others);
  wrong(
    report.problems,
    finding.at,
    self ? 'the role itself' : `the unknown role "${name}"`,
    `"none" or ${others.join(', ')}`,
    hint && `"${hint}"`,
  );
  return null;
}

function build(table: RoleTable, known: Known, host: string, report: Report): Role {
  const { name, fields } = table;
  const value = Object.fromEntries(
    ROLE_FIELDS.map((f) => [f.field, fields.get(f.field)?.value ?? f.default]),
  ) as Role;
  const where = (field: keyof Role) => at(fields.get(field), table);
  checkAddress(table, report);
  const mayStart = resolveMayStart(value.may_start, name, known, where('may_start'), report);
  const tools = resolveNames(value.tools, TOOL_NAMES, 'tool', where('tools'), report, USUAL_TOOLS);
  checkWriteUnder(table, tools, report);
  return freezeDeep({
    ...value,
    name,
    graph_id: value.graph_id ?? name,
    system_prompt: value.system_prompt ?? shortPrompt(name, value.description ?? ''),
    tools: withAsyncTools(tools, mayStart),
    may_start: mayStart,
    visible_to: resolveVisibleTo(value.visible_to, known, where('visible_to'), report),
    alternate: alternateOf(table, known.listed, report),
    host: value.host ?? host,
  });
}

function checkPorts(tables: readonly RoleTable[], report: Report): void {
  const taken = new Map<unknown, string>();
  for (const { name, fields } of tables) {
    const port = fields.get('port');
    if (!port || port.value === 0) continue;
    const other = taken.get(port.value);
    if (other)
      wrong(
        report.problems,
        port.at,
        `port ${port.value} for "${name}" and "${other}"`,
        'a fixed port for one role only',
      );
    taken.set(port.value, name);
  }
}

const knownOf = (tables: readonly RoleTable[]): Known => {
  const hidden = tables.flatMap(({ name, fields }) => {
    const to = fields.get('visible_to')?.value;
    return to ? [[name, to as readonly string[]] as const] : [];
  });
  const visible_to = new Map(hidden);
  const names = tables.map((t) => t.name);
  return { names, listed: names.filter((name) => !visible_to.has(name)), visible_to };
};

/** `host`: where role servers listen when a role does not say. */
export function buildRegistry(
  merged: readonly RoleTable[],
  host: string,
  report: Report,
): Registry {
  const known = knownOf(merged);
  // Those that stand in no list come last: adding roles of one's own does not depend on them.
  const isListed = ({ name }: RoleTable) => known.listed.includes(name);
  const tables = [...merged.filter(isListed), ...merged.filter((table) => !isListed(table))];
  checkPorts(tables, report);
  const roles = tables.map((table) => build(table, known, host, report));
  const sources = new Map<string, RoleSources>();
  for (const { name, fields } of tables) {
    const of: RoleSources = {};
    for (const { field } of ROLE_FIELDS) of[field] = fields.get(field)?.source ?? 'default';
    sources.set(name, Object.freeze(of));
  }
  return { roles: Object.freeze(roles), known, sources };
}

// The registry: packaged roles, overridden key by key, then the roles that configuration adds. Every name in it
// exists: tools, roles that may be started, alternates.
import type { Role, RoleSources } from '../domain/role.ts';
import { type At, type Finding, type Report, wrong } from './finding.ts';
import { nearest } from './nearest.ts';
import { ROLE_FIELDS } from './role-fields.ts';
import type { RoleTable } from './role-tables.ts';
import { freezeDeep } from './schema.ts';
import { ASYNC_TOOLS, TOOL_NAMES } from './tool-names.ts';

export type Registry = {
  roles: readonly Role[];
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

/** Checks a list of names and resolves "*". Unknown names become problems and are left out. */
export function resolveNames(
  names: readonly string[],
  known: readonly string[],
  what: string,
  at: At,
  report: Report,
): string[] {
  if (names.includes('*')) return [...known];
  for (const name of names)
    if (!known.includes(name)) {
      const hint = nearest(name, known);
      wrong(
        report.problems,
        at,
        `the unknown ${what} "${name}"`,
        `"*" or ${known.join(', ')}`,
        hint && `"${hint}"`,
      );
    }
  return [...new Set(names)].filter((name) => known.includes(name));
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

function build(table: RoleTable, known: readonly string[], host: string, report: Report): Role {
  const { name, fields } = table;
  const value = Object.fromEntries(
    ROLE_FIELDS.map((f) => [f.field, fields.get(f.field)?.value ?? f.default]),
  ) as Role;
  const names = (field: 'tools' | 'may_start', all: readonly string[], what: string) =>
    resolveNames(value[field], all, what, at(fields.get(field), table), report);
  checkAddress(table, report);
  const mayStart = names('may_start', known, 'role');
  return freezeDeep({
    ...value,
    name,
    graph_id: value.graph_id ?? name,
    system_prompt: value.system_prompt ?? shortPrompt(name, value.description ?? ''),
    tools: withAsyncTools(names('tools', TOOL_NAMES, 'tool'), mayStart),
    may_start: mayStart,
    alternate: alternateOf(table, known, report),
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

/** `host`: where role servers listen when a role does not say. */
export function buildRegistry(
  tables: readonly RoleTable[],
  host: string,
  report: Report,
): Registry {
  const known = tables.map((t) => t.name);
  checkPorts(tables, report);
  const roles = tables.map((table) => build(table, known, host, report));
  const sources = new Map<string, RoleSources>();
  for (const { name, fields } of tables) {
    const of: RoleSources = {};
    for (const { field } of ROLE_FIELDS) of[field] = fields.get(field)?.source ?? 'default';
    sources.set(name, Object.freeze(of));
  }
  return { roles: Object.freeze(roles), sources };
}

// The keys of a role, in role.toml and in [async_subagents.<role>], as data. Names (tools, roles) are checked
// where all roles are known.
import type { Role } from '../domain/role.ts';
import type { Kind } from './kind.ts';

export type RoleField = {
  field: Exclude<keyof Role, 'name'>;
  type: Kind;
  /** For a role that does not say. A function of the name where it depends on it. */
  default: unknown;
  doc: string;
};

const text = { kind: 'text' } as const;
const int = (min: number, max: number) => ({ kind: 'int', min, max }) as const;

// biome-ignore format: a table, one row a line
export const ROLE_FIELDS: readonly RoleField[] = [
  { field: 'description', type: text, default: null, doc: 'What the role is good for: the main agent chooses by it. Required for a new role.' },
  { field: 'graph_id', type: text, default: null, doc: 'Name of the role for Agent Protocol clients and for the server behind url. Not set = the name.' },
  { field: 'system_prompt', type: text, default: null, doc: 'Replaces the prompt of the role. Not set for a new role = a short one made of name and description.' },
  { field: 'model', type: { kind: 'model', inherits: true }, default: 'default', doc: 'Model of the role; "default" = the one of [models].' },
  { field: 'fallback', type: { kind: 'models', inherits: true }, default: null, doc: 'Models that are asked in this order when that one fails; [] = none. Not set = fallback of [models].' },
  { field: 'tier', type: { kind: 'choice', of: ['cheap', 'strong'] }, default: null, doc: 'With model = "default": use the cheap or the strong model of [models], where one is set.' },
  { field: 'tools', type: { kind: 'list' }, default: ['*'], doc: 'Tools of the role; "*" = all. A role that may start others has the five async tools as well.' },
  { field: 'may_start', type: { kind: 'list' }, default: [], doc: 'Roles that an agent of this role may start, where the depth allows it; "*" = all.' },
  { field: 'alternate', type: text, default: 'reviewer', doc: 'Role that gets a failed or blocked task once; "none" = no other.' },
  { field: 'url', type: { kind: 'url' }, default: null, doc: 'A role server that someone else runs; used, never started or stopped. Not together with port.' },
  { field: 'headers', type: { kind: 'headers' }, default: {}, doc: 'HTTP headers for url, e.g. { Authorization = "Bearer …" }.' },
  { field: 'transport', type: { kind: 'choice', of: ['http', 'inproc'], alias: { asgi: 'inproc' } }, default: 'http', doc: 'In the hybrid topology: a process of its own, or inside the main process.' },
  { field: 'host', type: text, default: null, doc: 'Address on which the role server listens. Not set = host of [subagents].' },
  { field: 'port', type: int(0, 65_535), default: 0, doc: 'Fixed port of the role server; 0 = any.' },
  { field: 'instances', type: int(1, 100), default: 1, doc: 'Most role servers of this role.' },
  { field: 'max_concurrent_runs', type: int(1, 100), default: 4, doc: 'Tasks that one role server works on at once.' },
  { field: 'max_iterations', type: int(1, 10_000), default: null, doc: 'Most model calls of one run, never more than the agent above it has. Not set = half of those, at least child_min_iterations of [limits].' },
  { field: 'timeout_s', type: int(0, 86_400), default: 0, doc: 'Seconds for one whole run. 0 = no limit.' },
];

export const roleField: ReadonlyMap<string, RoleField> = new Map(
  ROLE_FIELDS.map((f) => [f.field, f]),
);

/** Words that mean something else where a role is named. */
const RESERVED = ['main', 'main-agent', 'none', 'default', 'troupe', 'strict'];
export const ROLE_NAME_RULE = `a letter, then at most 63 letters, digits, "-" or "_"; not ${RESERVED.join(', ')}`;
/** Role names become parts of URLs, file names and keys of objects. */
export const goodRoleName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name) &&
  !RESERVED.includes(name.toLowerCase()) &&
  !(name in {});

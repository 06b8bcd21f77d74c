// What `troupe config show` and `troupe roles show` print: each value with its source. Secrets are masked here,
// so that no caller can forget it.
import { AppError } from '../domain/errors.ts';
import type { Loaded } from './load.ts';
import { nearest } from './nearest.ts';
import { ROLE_FIELDS } from './role-fields.ts';
import { SETTINGS, type Setting } from './schema.ts';

export type ShownValue = { key: string; value: unknown; source: string };

const MASK = '********';
const masked = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(() => MASK) : value === null ? null : MASK;
/** Longest secret-looking texts first, so that a part never hides the whole. */
const longestFirst = (a: string, b: string): number => b.length - a.length;

function valueAt(config: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], config);
}

/** Credentials inside an address (https://user:key@host) are secrets too. */
function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('@') || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.password !== '') url.password = MASK;
  return url.password === '' ? value : url.href;
}

/** Every setting in the order of the table. */
export const describeConfig = ({
  config,
  sources,
}: Pick<Loaded, 'config' | 'sources'>): ShownValue[] =>
  (SETTINGS as readonly Setting[]).map(({ path, secret }) => {
    const value = valueAt(config, path);
    return {
      key: path,
      value: secret ? masked(value) : withoutPassword(value),
      source: sources.get(path) ?? 'default',
    };
  });

/** Throws `unknown_role`. */
export function showRole(
  { roles, roleSources }: Pick<Loaded, 'roles' | 'roleSources'>,
  name: string,
): ShownValue[] {
  const role = roles.find((r) => r.name === name);
  if (!role) {
    const names = roles.map((r) => r.name);
    const hint = nearest(name, names);
    throw new AppError(
      'unknown_role',
      `unknown role "${name}"; known roles: ${names.join(', ')}${hint ? ` (did you mean "${hint}"?)` : ''}`,
    );
  }
  const from = roleSources.get(name) ?? {};
  return ROLE_FIELDS.map(({ field }) => {
    const value =
      field === 'headers'
        ? Object.fromEntries(Object.keys(role.headers).map((h) => [h, MASK]))
        : withoutPassword(role[field]);
    return { key: field, value, source: from[field] ?? 'default' };
  });
}

/** Every secret text in the configuration, for redaction in logs, events and output. */
export function secretValues({ config, roles }: Pick<Loaded, 'config' | 'roles'>): string[] {
  const keys = (SETTINGS as readonly Setting[])
    .filter((s) => s.secret)
    .flatMap((s) => valueAt(config, s.path));
  const headers = roles
    .flatMap((r) => Object.values(r.headers))
    .map((v) => v.replace(/^(Bearer|Basic) /i, ''));
  const texts = [...keys, ...headers].filter((v): v is string => typeof v === 'string');
  return [...new Set(texts)].filter((v) => v.length >= 8).sort(longestFirst);
}

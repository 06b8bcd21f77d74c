// What a value may be: parsing from TOML and from text (environment, flags), and the words that say what is
// allowed. Never coerces: "30abc", 1e9 and 30.0 are not whole numbers.

import { resolve } from 'node:path';
export type Kind =
  | { kind: 'int'; min: number; max: number }
  | { kind: 'bool' }
  /** US dollars, with decimals. */
  | { kind: 'usd'; max: number }
  | { kind: 'text' }
  /** Absolute after parsing; `~/` is the home folder. */
  | { kind: 'path' }
  | { kind: 'url' }
  | { kind: 'choice'; of: readonly string[]; alias?: Readonly<Record<string, string>> }
  /** `provider:model`, `echo`, `offline`, and `default` where something else decides. */
  | { kind: 'model'; inherits: boolean }
  /** The same, in the order in which they are asked. */
  | { kind: 'models'; inherits: boolean }
  | { kind: 'list' }
  | { kind: 'paths' }
  /** HTTP headers: name = "text". */
  | { kind: 'headers' }
  /** "provider:model" = { input = 0.15, output = 0.6, cached_input = 0.075 } */
  | { kind: 'prices' };

/** USD per million tokens; without `cached_input` cached tokens cost what others do. */
export type Price = { input: number; output: number; cached_input?: number };
export type ValueOf<K extends Kind> = K extends { kind: 'int' | 'usd' }
  ? number
  : K extends { kind: 'bool' }
    ? boolean
    : K extends { kind: 'choice'; of: readonly (infer C)[] }
      ? C
      : K extends { kind: 'list' | 'paths' | 'models' }
        ? readonly string[]
        : K extends { kind: 'headers' }
          ? Readonly<Record<string, string>>
          : K extends { kind: 'prices' }
            ? Readonly<Record<string, Price>>
            : string;

/** Where relative paths start and what `~` is. */
export type Base = { folder: string; home: string };
export type Parsed = { ok: true; value: unknown } | { ok: false; found: string };

const MODEL = /^(echo|offline|[a-z][a-z0-9_-]*:\S+)$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

export function allowed(kind: Kind): string {
  switch (kind.kind) {
    case 'int':
      return `a whole number from ${kind.min} to ${kind.max}`;
    case 'usd':
      return `an amount in USD from 0 to ${kind.max}, such as 2.50`;
    case 'bool':
      return 'true or false';
    case 'choice':
      return kind.of.map((c) => `"${c}"`).join(', ');
    case 'url':
      return 'an http:// or https:// address';
    case 'model':
      return `"provider:model", "echo"${kind.inherits ? ', "offline" or "default"' : ' or "offline"'}`;
    case 'models':
      return `a list of "provider:model", "echo"${kind.inherits ? ', "offline" or "default"' : ' or "offline"'}`;
    case 'headers':
      return 'a table of HTTP headers with text values';
    case 'prices':
      return 'tables "provider:model" = { input = USD, output = USD } per million tokens, 0 or more, with cached_input = USD where that differs';
    case 'list':
    case 'paths':
      return 'a list of texts';
    default:
      return 'text that is not empty';
  }
}

/** A value as people wrote it, short. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isInteger(value) ? `${value} (not written as a whole number)` : String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return value instanceof Date ? 'a date' : 'a table';
}

/** The kind of thing a value is, for places where the value itself must not be shown. */
export const shownType = (value: unknown): string =>
  typeof value === 'string'
    ? 'a text (hidden)'
    : Array.isArray(value)
      ? 'a list'
      : `a ${typeof value}`;

const good = (value: unknown): Parsed => ({ ok: true, value });
const bad = (value: unknown): Parsed => ({ ok: false, found: shown(value) });

function absolute(text: string, { folder, home }: Base): string {
  if (text === '~' || text.startsWith('~/')) return resolve(home, text.slice(2));
  return resolve(folder, text);
}

function isHttp(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

const isModel = ({ inherits }: { inherits: boolean }, text: unknown): boolean =>
  typeof text === 'string' && (MODEL.test(text) || (inherits && text === 'default'));

function fromString(kind: Kind, text: string, base: Base): Parsed {
  switch (kind.kind) {
    case 'text':
      return text.trim() === '' ? bad(text) : good(text);
    case 'path':
      return text.trim() === '' || text.includes('\0') ? bad(text) : good(absolute(text, base));
    case 'url':
      return isHttp(text) ? good(text.replace(/\/+$/, '')) : bad(text);
    case 'choice': {
      const name = kind.alias && Object.hasOwn(kind.alias, text) ? kind.alias[text] : text;
      return name !== undefined && kind.of.includes(name) ? good(name) : bad(text);
    }
    case 'model':
      return isModel(kind, text) ? good(text) : bad(text);
    default:
      return bad(text);
  }
}

const entries = (value: unknown): [string, unknown][] | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? Object.entries(value)
    : null;
const amount = (value: unknown): number | null => {
  const n = typeof value === 'bigint' ? Number(value) : value;
  return typeof n === 'number' && Number.isFinite(n) && n >= 0 ? n : null;
};

function prices(value: unknown): Parsed {
  const rows = entries(value);
  if (rows === null) return bad(value);
  const out: [string, Price][] = [];
  for (const [model, row] of rows) {
    const parts = new Map(entries(row) ?? []);
    const input = amount(parts.get('input'));
    const output = amount(parts.get('output'));
    const cached = parts.has('cached_input') ? [amount(parts.get('cached_input'))] : [];
    const right = !cached.includes(null) && parts.size === 2 + cached.length;
    if (!MODEL.test(model) || input === null || output === null || !right)
      return {
        ok: false,
        found: `${JSON.stringify(model)} = ${row === null ? 'nothing' : 'something else'}`,
      };
    const [cached_input] = cached as number[];
    out.push([model, { input, output, ...(cached_input === undefined ? {} : { cached_input }) }]);
  }
  return good(Object.fromEntries(out));
}

/** A value of a TOML document that was parsed with whole numbers as bigint. */
export function fromToml(kind: Kind, value: unknown, base: Base): Parsed {
  switch (kind.kind) {
    case 'int': {
      if (typeof value !== 'bigint' || value < kind.min || value > kind.max) return bad(value);
      return good(Number(value));
    }
    case 'usd': {
      const usd = amount(value);
      return usd === null || usd > kind.max ? bad(value) : good(usd);
    }
    case 'bool':
      return typeof value === 'boolean' ? good(value) : bad(value);
    case 'list':
    case 'paths': {
      if (!Array.isArray(value)) return bad(value);
      const wrong = value.find((v) => typeof v !== 'string' || v.trim() === '');
      if (wrong !== undefined) return { ok: false, found: `${shown(wrong)} in the list` };
      return good(kind.kind === 'list' ? value : value.map((v: string) => absolute(v, base)));
    }
    case 'models': {
      if (!Array.isArray(value)) return bad(value);
      const wrong = value.find((v) => !isModel(kind, v));
      return wrong === undefined
        ? good([...new Set(value)])
        : { ok: false, found: `${shown(wrong)} in the list` };
    }
    case 'headers': {
      const rows = entries(value);
      const wrong = rows?.find(
        ([k, v]) => !HEADER_NAME.test(k) || typeof v !== 'string' || !HEADER_TEXT.test(v),
      );
      if (rows === null || wrong)
        return {
          ok: false,
          found: wrong ? `a wrong header ${JSON.stringify(wrong[0])}` : shown(value),
        };
      return good(Object.fromEntries(rows));
    }
    case 'prices':
      return prices(value);
    default:
      return typeof value === 'string' ? fromString(kind, value, base) : bad(value);
  }
}

/** A value from the environment or a flag. Numbers are digits only; lists are separated by commas. */
export function fromText(kind: Kind, text: string, base: Base): Parsed {
  switch (kind.kind) {
    case 'int': {
      // Longer than any limit in use: not even worth converting.
      if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return bad(text);
      return Number(text) < kind.min || Number(text) > kind.max ? bad(text) : good(Number(text));
    }
    case 'usd':
      if (!/^(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?$/.test(text)) return bad(text);
      return Number(text) > kind.max ? bad(text) : good(Number(text));
    case 'bool':
      return text === 'true' || text === 'false' ? good(text === 'true') : bad(text);
    case 'list':
    case 'models':
    case 'paths':
      return fromToml(
        kind,
        text
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
        base,
      );
    default:
      return fromString(kind, text, base);
  }
}

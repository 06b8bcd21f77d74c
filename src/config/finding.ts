// A value found in one source, with its place, and what a reader of sources collects. Values that are wrong
// become problems and are not taken over.
import { allowed, type Base, fromText, fromToml, type Kind, type Parsed } from './kind.ts';
import { type Problem, place } from './problem.ts';
import { readText, reason } from './toml-file.ts';

/** Where a value stands: for problems and for `config show`. */
export type At = Pick<Problem, 'file' | 'line' | 'key'>;
export type Finding = { value: unknown; source: string; at: At };
/** By dotted path of the setting, or by field of a role. */
export type Findings = Map<string, Finding>;

/** What to do with a mistake: `problems` stop the start, `warnings` do not. */
export type Report = { problems: Problem[]; warnings: Problem[] };
export const newReport = (): Report => ({ problems: [], warnings: [] });

export const sourceOf = (at: At): string => {
  if (at.file === 'environment') return `env ${at.key}`;
  return at.file === 'flags' ? `flag ${at.key}` : place(at);
};

export const wrong = (problems: Problem[], at: At, found: string, allow: string, hint?: string) => {
  problems.push({ ...at, found, allowed: allow, ...(hint ? { did_you_mean: hint } : {}) });
};

function take(into: Findings, path: string, kind: Kind, parsed: Parsed, at: At, to: Problem[]) {
  if (parsed.ok) into.set(path, { value: parsed.value, source: sourceOf(at), at });
  else wrong(to, at, parsed.found, allowed(kind));
}

export type Target = {
  into: Findings;
  path: string;
  kind: Kind;
  at: At;
  problems: Problem[];
  base: Base;
};

export const takeToml = ({ into, path, kind, at, problems, base }: Target, value: unknown): void =>
  take(into, path, kind, fromToml(kind, value, base), at, problems);

export const takeText = ({ into, path, kind, at, problems, base }: Target, text: string): void =>
  take(into, path, kind, fromText(kind, text, base), at, problems);

const SECRET_RULE = 'a text of visible ASCII characters without spaces';
const isSecret = (value: unknown): boolean =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
const shownSecret = (value: unknown): string => {
  if (typeof value !== 'string') return `a ${typeof value}`;
  return value === '' ? '""' : 'a text with spaces or other characters (hidden)';
};

/** A secret given in place, or a list of them. Their text never appears in a problem. */
export function takeSecret({ into, path, kind, at, problems }: Target, value: unknown): void {
  const many = kind.kind === 'list';
  const all = many && Array.isArray(value) ? value : [value];
  const bad = all.find((one) => !isSecret(one));
  if (many && !Array.isArray(value))
    wrong(problems, at, shownSecret(value), `a list, each ${SECRET_RULE}`);
  else if (all.length > 0 && bad !== undefined)
    wrong(problems, at, shownSecret(bad), many ? `each ${SECRET_RULE}` : SECRET_RULE);
  else into.set(path, { value: many ? [...new Set(all)] : value, source: sourceOf(at), at });
}

/** The same from a text: a list is separated by commas or line ends. */
export function takeSecretText(target: Target, text: string): void {
  const many = target.kind.kind === 'list';
  takeSecret(target, many ? text.split(/[,\s]+/).filter((part) => part !== '') : text);
}

/** A secret in a file; one line end after it is not part of it. */
export function takeSecretFile(target: Target, file: unknown): void {
  const { at, problems, base } = target;
  const path = fromToml({ kind: 'path' }, file, base);
  if (!path.ok) {
    wrong(problems, at, path.found, 'the path of a file that holds the secret');
    return;
  }
  try {
    takeSecretText(target, readText(String(path.value)).replace(/\r?\n$/, ''));
  } catch (error) {
    wrong(problems, at, `${path.value}: ${reason(error)}`, 'a readable file that holds the secret');
  }
}

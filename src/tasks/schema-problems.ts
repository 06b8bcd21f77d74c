// What is wrong with a JSON Schema before it is used: the form of its keywords, its references, its size. Pure.
import type { ErrorItem } from '../domain/errors.ts';

const MOST_DEPTH = 16;
const MOST_SCHEMAS = 500;
const MOST_ERRORS = 10;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isName = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isType = (value: unknown): boolean => TYPES.includes(value as string);
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is);

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

const COUNT: [(value: unknown) => boolean, string] = [isCount, 'must be a whole number from 0'];
const NUMBER: [(value: unknown) => boolean, string] = [isNumber, 'must be a number'];
const TYPE_WORDS = `must be one of ${TYPES.join(', ')}, or a list of them`;

/** Keywords that hold no schema: what they must look like. Unknown keywords say nothing, as the standard has it. */
const PLAIN: Readonly<Record<string, [is: (value: unknown) => boolean, message: string]>> = {
  type: [(v) => isType(v) || (isListOf(isType)(v) && (v as unknown[]).length > 0), TYPE_WORDS],
  enum: [(v) => Array.isArray(v) && v.length > 0, 'must be a list of values'],
  required: [isListOf(isName), 'must be a list of names'],
  pattern: [isPattern, 'must be a valid regular expression'],
  format: [isName, 'must be a text'],
  uniqueItems: [(v) => typeof v === 'boolean', 'must be true or false'],
  ...Object.fromEntries(
    'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'
      .split(' ')
      .map((name) => [name, COUNT]),
  ),
  ...Object.fromEntries(
    'minimum maximum exclusiveMinimum exclusiveMaximum'.split(' ').map((name) => [name, NUMBER]),
  ),
  multipleOf: [(v) => isNumber(v) && Number(v) > 0, 'must be a number above 0'],
};
const ONE = new Set(
  'items additionalProperties contains propertyNames not if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** References by other means than a path inside the schema are not followed. */
const NOT_TAKEN = new Set(['$dynamicRef', '$recursiveRef', '$vocabulary']);

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function resolves(root: unknown, ref: string): boolean {
  let at: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return isObject(at) || typeof at === 'boolean';
}

export function problemsOfSchema(root: unknown, path: string): ErrorItem[] {
  const errors: ErrorItem[] = [];
  let schemas = 0;
  const say = (path: string, message: string) =>
    errors.length < MOST_ERRORS ? errors.push({ path, message }) : 0;

  function keyword(name: string, value: unknown, at: string, depth: number): void {
    const plain = PLAIN[name];
    if (plain && !plain[0](value)) say(at, plain[1]);
    else if (name === '$ref') reference(value, at);
    else if (NOT_TAKEN.has(name)) say(at, 'is not supported; use $ref to a path in the schema');
    else if (ONE.has(name)) visit(value, at, depth + 1);
    else if (LISTS.has(name)) {
      if (!Array.isArray(value) || value.length === 0) say(at, 'must be a list of schemas');
      else for (const [i, one] of value.entries()) visit(one, `${at}/${i}`, depth + 1);
    } else if (MAPS.has(name)) {
      if (!isObject(value)) say(at, 'must be an object of schemas');
      for (const [key, one] of Object.entries(isObject(value) ? value : {})) {
        if (name === 'patternProperties' && !isPattern(key))
          say(`${at}/${escaped(key)}`, 'must be named by a valid regular expression');
        visit(one, `${at}/${escaped(key)}`, depth + 1);
      }
    }
  }

  function reference(value: unknown, at: string): void {
    if (typeof value !== 'string' || !/^#(?:\/|$)/.test(value))
      say(at, 'must be a path inside the schema, such as "#/$defs/name"; nothing is fetched');
    else if (!resolves(root, value)) say(at, `leads to no schema: "${value.slice(0, 100)}"`);
  }

  function visit(schema: unknown, at: string, depth: number): void {
    schemas += 1;
    if (schemas > MOST_SCHEMAS) {
      if (schemas === MOST_SCHEMAS + 1) say(at, `is one schema too many: at most ${MOST_SCHEMAS}`);
      return;
    }
    if (typeof schema === 'boolean' && depth > 0) return;
    if (!isObject(schema)) say(at, 'must be an object that is a JSON Schema');
    else if (depth > MOST_DEPTH) say(at, `is nested too deep: at most ${MOST_DEPTH} levels`);
    else
      for (const [name, value] of Object.entries(schema))
        keyword(name, value, `${at}/${escaped(name)}`, depth);
  }

  visit(root, path, 0);
  return errors;
}

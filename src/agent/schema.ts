// Checks a value against the subset of JSON Schema that tool parameters use. Pure; no compiler.
import type { JsonSchema } from '../domain/message.ts';

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};
const fits = (type: string, actual: string): boolean =>
  type === actual || (type === 'number' && actual === 'integer');

const MOST_PROBLEMS = 10;

function checkNumber(schema: JsonSchema, value: number, at: string): string[] {
  if (schema.minimum !== undefined && value < schema.minimum)
    return [`${at} must be at least ${schema.minimum}, not ${value}`];
  if (schema.maximum !== undefined && value > schema.maximum)
    return [`${at} must be at most ${schema.maximum}, not ${value}`];
  return [];
}

function checkString(schema: JsonSchema, value: string, at: string): string[] {
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return [`${at} must have at least ${schema.minLength} character(s)`];
  if (schema.maxLength !== undefined && value.length > schema.maxLength)
    return [`${at} must have at most ${schema.maxLength} characters, not ${value.length}`];
  return [];
}

function checkArray(schema: JsonSchema, value: unknown[], at: string): string[] {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    return [`${at} must have at least ${schema.minItems} item(s)`];
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    return [`${at} must have at most ${schema.maxItems} items, not ${value.length}`];
  const { items } = schema;
  return items ? value.flatMap((item, i) => problemsOf(items, item, `${at}[${i}]`)) : [];
}

function checkObject(schema: JsonSchema, value: Record<string, unknown>, at: string): string[] {
  const known = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => `${at}.${name} is missing`);
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    if (property) problems.push(...problemsOf(property, item, `${at}.${name}`));
    else if (schema.additionalProperties === false)
      problems.push(
        `${at}.${name} is unknown; allowed: ${Object.keys(known).join(', ') || 'none'}`,
      );
  }
  return problems;
}

/** What is wrong with the value, one sentence each, at most ten; empty when it fits. */
export function problemsOf(schema: JsonSchema, value: unknown, at = 'arguments'): string[] {
  const actual = typeOf(value);
  if (schema.type && !fits(schema.type, actual))
    return [`${at} must be of type ${schema.type}, not ${actual}`];
  if (schema.enum && !schema.enum.some((one) => one === value))
    return [`${at} must be one of ${schema.enum.map((v) => JSON.stringify(v)).join(', ')}`];
  const found =
    typeof value === 'number'
      ? checkNumber(schema, value, at)
      : typeof value === 'string'
        ? checkString(schema, value, at)
        : Array.isArray(value)
          ? checkArray(schema, value, at)
          : actual === 'object'
            ? checkObject(schema, value as Record<string, unknown>, at)
            : [];
  return found.slice(0, MOST_PROBLEMS);
}

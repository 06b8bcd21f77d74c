// Search by example, and the fields that a caller wants to see. Pure.
import { isJson, type Json } from './messages.ts';

/** Everything in `wanted` is in `have`, at the same place. */
export function contains(have: unknown, wanted: unknown): boolean {
  if (!isJson(wanted)) return JSON.stringify(have) === JSON.stringify(wanted);
  return isJson(have) && Object.entries(wanted).every(([key, value]) => contains(have[key], value));
}

const OPERATORS: Record<string, (have: unknown, wanted: unknown) => boolean> = {
  $eq: (have, wanted) => contains(have, wanted),
  $ne: (have, wanted) => !contains(have, wanted),
  $gt: (have, wanted) => (have as number) > (wanted as number),
  $gte: (have, wanted) => (have as number) >= (wanted as number),
  $lt: (have, wanted) => (have as number) < (wanted as number),
  $lte: (have, wanted) => (have as number) <= (wanted as number),
};

/** A filter of the store: values by key, or `{key: {$gt: 3}}`. */
export function passes(value: Json, filter: Json): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (!isJson(wanted) || !Object.keys(wanted).some((name) => name in OPERATORS))
      return contains(value[key], wanted);
    return Object.entries(wanted).every(
      ([name, limit]) => OPERATORS[name]?.(value[key], limit) ?? false,
    );
  });
}

/** The named fields of an answer; `values.messages` is one value within `values`. */
export function pick(from: object, select: readonly string[] | undefined): Json {
  const whole = from as Json;
  if (select === undefined || select.length === 0) return whole;
  const out: Json = {};
  for (const path of select) {
    const [field = '', ...rest] = path.split('.');
    if (!(field in whole)) continue;
    if (rest.length === 0 || !isJson(whole[field])) out[field] = whole[field];
    else
      out[field] = {
        ...(out[field] as Json | undefined),
        ...pick(whole[field], [rest.join('.')]),
      };
  }
  return out;
}

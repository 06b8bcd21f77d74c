// Output schemas: whether one can be taken at all, and whether an answer fits it. A schema comes from outside, and
// so does the answer: both are bounded, and a check that takes too long is ended.
import { runInNewContext } from 'node:vm';
import { Check, Errors } from 'typebox/schema';
import { AppError, type ErrorItem } from '../domain/errors.ts';
import type { CheckedAnswer, OutputSchema } from '../domain/output-schema.ts';
import { jsonIn } from './json-in.ts';
import { problemsOfSchema } from './schema-problems.ts';

export const SCHEMA_LIMIT = 32_768;
/** A pattern that backtracks, or references that multiply: nobody else may wait for it longer. */
const CHECK_MS = 500;
const MOST_PROBLEMS = 10;

/** The value of `work`, or a throw when it takes too long: also a regular expression is ended. */
const bounded = <T>(work: () => T): T =>
  runInNewContext('work()', { work }, { timeout: CHECK_MS }) as T;

const refuse = (errors: ErrorItem[]): never => {
  const lines = errors.map((e) => `${e.path}: ${e.message}`).join('; ');
  throw new AppError('schema_invalid', `output_schema cannot be used: ${lines}`, { errors });
};
const SAMPLES: readonly unknown[] = [{}, [], '', 0, null];

/** Throws AppError schema_invalid that says where it is wrong, too deep or too large. */
export function acceptSchema(schema: unknown): OutputSchema {
  const at = '/output_schema';
  const bytes = Buffer.byteLength(JSON.stringify(schema) ?? '');
  if (bytes > SCHEMA_LIMIT)
    refuse([{ path: at, message: `has ${bytes} bytes; at most ${SCHEMA_LIMIT} are allowed` }]);
  const errors = problemsOfSchema(schema, at);
  if (errors.length > 0) refuse(errors);
  try {
    // References that lead in a circle show at once.
    bounded(() => SAMPLES.map((sample) => Check(schema as never, sample)));
  } catch {
    refuse([{ path: at, message: 'cannot be evaluated: do its references lead in a circle?' }]);
  }
  return schema as OutputSchema;
}

type Fault = ReturnType<typeof Errors>[1][number];
function sentence({ instancePath, keyword, params, message }: Fault): string {
  const at = instancePath === '' ? 'the answer' : instancePath;
  const more = params as Record<string, unknown>;
  if (keyword === 'required')
    return `${at} lacks ${(more.requiredProperties as string[]).map((p) => `"${p}"`).join(', ')}`;
  if (keyword === 'additionalProperties')
    return `${at} may not have ${(more.additionalProperties as string[]).map((p) => `"${p}"`).join(', ')}`;
  if (keyword === 'enum')
    return `${at} must be one of ${(more.allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`;
  return `${at} ${message}`;
}

function problemsOf(schema: OutputSchema, value: unknown): string[] {
  const faults = Errors(schema as never, value)[1].filter(({ keyword }) => keyword !== 'boolean');
  const lines = faults.map((fault) => sentence(fault).slice(0, 300));
  const found = [...new Set(lines)].slice(0, MOST_PROBLEMS);
  return found.length > 0 ? found : ['the answer does not fit the schema'];
}

/** The JSON in an answer: alone, in a fenced block, or bare in the text; the first that fits is taken. */
export function checkAnswer(schema: OutputSchema, text: string): CheckedAnswer {
  const found = jsonIn(text);
  const [first] = found;
  if (!first) return { valid: false, value: null, problems: ['no JSON was found in the answer'] };
  try {
    return bounded((): CheckedAnswer => {
      const fits = found.find(({ value }) => Check(schema as never, value));
      if (fits) return { valid: true, value: fits.value, problems: [] };
      return { valid: false, value: null, problems: problemsOf(schema, first.value) };
    });
  } catch {
    const problems = ['the answer could not be checked against the schema in time'];
    return { valid: false, value: null, problems };
  }
}

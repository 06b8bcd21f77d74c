// Checks params, query and body against their schemas, strictly: nothing is cast in a body, and a number
// in a query string is a whole number or an error. Schemas compile on first use, so that start stays fast.
import type { FastifySchemaCompiler } from 'fastify';
import { Compile, type XSchema } from 'typebox/schema';
import { AppError, type ErrorItem } from '../domain/errors.ts';

type Found = ReturnType<ReturnType<typeof Compile>['Errors']>[1][number];
type Part = { properties?: Record<string, { type?: string; enum?: unknown[] }> };

const WHOLE = /^-?(0|[1-9]\d{0,15})$/;
/** `50` becomes 50 where the schema wants an integer; `1e9`, `` and `30abc` stay text and are refused. */
function castQuery(schema: Part, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  const cast: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(value)) {
    const type = schema.properties?.[key]?.type;
    if (type === 'integer' && typeof text === 'string' && WHOLE.test(text))
      cast[key] = Number(text);
    else if (type === 'boolean' && (text === 'true' || text === 'false'))
      cast[key] = text === 'true';
    else cast[key] = text;
  }
  return cast;
}

/** In a body a JSON pointer (`/description`), elsewhere the name (`limit`). */
const pathOf = (part: string, pointer: string, key?: string): string => {
  const whole = key === undefined ? pointer : `${pointer}/${key}`;
  return part === 'body' ? whole || '/' : whole.replace(/^\//, '') || part;
};

/** One line a fault; what follows from another line (a union, a false schema) is left out. */
function explain(part: string, schema: Part, found: Found[]): ErrorItem[] {
  return found.flatMap((fault): ErrorItem[] => {
    const at = fault.instancePath;
    if (fault.keyword === 'required')
      return fault.params.requiredProperties.map((key) => ({
        path: pathOf(part, at, key),
        message: 'is required',
      }));
    if (fault.keyword === 'additionalProperties')
      return fault.params.additionalProperties.map((key) => ({
        path: pathOf(part, at, key),
        message: `is not known here; known: ${Object.keys(schema.properties ?? {}).join(', ') || 'nothing'}`,
      }));
    if (fault.keyword === 'enum')
      return [
        {
          path: pathOf(part, at),
          message: `must be one of: ${fault.params.allowedValues.join(', ')}`,
        },
      ];
    if (fault.keyword === 'boolean') return [];
    if (fault.keyword === 'pattern')
      return [{ path: pathOf(part, at), message: 'must not be blank' }];
    return [{ path: pathOf(part, at), message: fault.message }];
  });
}

const SHOWN = 20;

export const compileLazily: FastifySchemaCompiler<XSchema> = ({ schema, httpPart }) => {
  const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
  let compiled: ReturnType<typeof Compile> | null = null;
  return (given: unknown) => {
    compiled ??= Compile(schema);
    const value = httpPart === 'querystring' ? castQuery(schema as Part, given) : given;
    if (compiled.Check(value)) return { value };
    const errors = explain(part, schema as Part, compiled.Errors(value)[1]).slice(0, SHOWN);
    const lines = errors.map((e) => `${e.path.replace(/^\/(?=.)/, '')} ${e.message}`);
    return { error: new AppError('bad_request', lines.join('; '), { errors }) };
  };
};

import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../src/agent/schema.ts';
import type { JsonSchema } from '../../src/domain/message.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, maxLength: 5 },
    n: { type: 'integer', minimum: 1, maximum: 9 },
    share: { type: 'number' },
    kind: { type: 'string', enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('problemsOf', () => {
  it.each([
    [{ path: 'x' }],
    [{ path: 'x', n: 9, share: 1, kind: 'b', tags: ['q'] }],
    [{ path: 'x', share: 0.5 }],
  ])('%j fits', (value) => {
    expect(problemsOf(schema, value)).toEqual([]);
  });

  it.each([
    [{}, 'arguments.path is missing'],
    [{ path: '' }, 'arguments.path must have at least 1 character'],
    [{ path: 'toolong' }, 'at most 5 characters, not 7'],
    [{ path: 1 }, 'arguments.path must be of type string, not integer'],
    [{ path: 'x', n: 1.5 }, 'arguments.n must be of type integer, not number'],
    [{ path: 'x', n: 0 }, 'arguments.n must be at least 1, not 0'],
    [{ path: 'x', n: 10 }, 'arguments.n must be at most 9'],
    [{ path: 'x', kind: 'c' }, 'arguments.kind must be one of "a", "b"'],
    [{ path: 'x', tags: ['a', 2] }, 'arguments.tags[1] must be of type string'],
    [{ path: 'x', tags: ['a', 'b', 'c'] }, 'at most 2 items'],
    [{ path: 'x', other: 1 }, 'arguments.other is unknown; allowed: path'],
    [JSON.parse('{"path":"x","__proto__":1}'), 'arguments.__proto__ is unknown'],
    [[], 'arguments must be of type object, not array'],
    [null, 'arguments must be of type object, not null'],
  ])('%j does not', (value, problem) => {
    expect(problemsOf(schema, value).join()).toContain(problem);
  });
});

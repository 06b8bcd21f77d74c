import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/domain/errors.ts';
import { acceptSchema, checkAnswer, SCHEMA_LIMIT } from '../../src/tasks/output-schema.ts';

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const refusal = (schema: unknown): AppError => {
  try {
    acceptSchema(schema);
  } catch (error) {
    return error as AppError;
  }
  throw new Error('it was accepted');
};
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'array', items: nested(levels - 1) };

describe('an output schema', () => {
  it('of every common keyword is accepted', () => {
    const schema = {
      ...person,
      $defs: { tag: { type: ['string', 'null'], pattern: '^[a-z]+$', maxLength: 9 } },
      anyOf: [{ properties: { tag: { $ref: '#/$defs/tag' } } }, true],
      title: 'A person',
    };
    expect(acceptSchema(schema)).toBe(schema);
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
    };
    expect(acceptSchema(tree)).toBe(tree);
    expect(checkAnswer(tree, '{"children":[{"children":[]}]}').valid).toBe(true);
    expect(checkAnswer(tree, '{"children":[{"children":7}]}').valid).toBe(false);
  });

  it.each([
    [{ type: 'objekt' }, '/output_schema/type', /must be one of object, array/],
    [{ properties: { a: 7 } }, '/output_schema/properties/a', /must be an object/],
    [{ properties: { 'a/b': { type: 'x' } } }, '/output_schema/properties/a~1b/type', /one of/],
    [{ required: 'name' }, '/output_schema/required', /list of names/],
    [{ pattern: '(' }, '/output_schema/pattern', /valid regular expression/],
    [{ items: { minLength: -1 } }, '/output_schema/items/minLength', /whole number/],
    [{ anyOf: [] }, '/output_schema/anyOf', /list of schemas/],
    [{ $ref: 'https://example.com/schema' }, '/output_schema/$ref', /nothing is fetched/],
    [{ $ref: '#/$defs/none' }, '/output_schema/$ref', /leads to no schema/],
    [[], '/output_schema', /must be an object/],
    [{ $ref: '#' }, '/output_schema', /lead in a circle/],
    [nested(20), `/output_schema${'/items'.repeat(17)}`, /nested too deep: at most 16/],
    [{ enum: ['x'.repeat(SCHEMA_LIMIT)] }, '/output_schema', /at most 32768 are allowed/],
    [{ anyOf: Array(600).fill({}) }, '/output_schema/anyOf/499', /one schema too many/],
  ])('%#: that cannot be used is refused, and the place is named', (schema, path, message) => {
    const error = refusal(schema);
    expect(error).toMatchObject({ code: 'schema_invalid' });
    expect(error.errors[0]?.path).toBe(path);
    expect(error.errors[0]?.message).toMatch(message);
  });
});

describe('an answer', () => {
  const fine = { name: 'Kim', age: 7 };
  const text = JSON.stringify(fine);
  it.each([
    ['alone', text],
    ['in a fence', `Here it is:\n\`\`\`json\n${text}\n\`\`\`\nDone.`],
    ['in the second fence', `\`\`\`json\n{"name":1}\n\`\`\`\nand\n\`\`\`\n${text}\n\`\`\``],
    ['bare in a text', `The answer is ${text} as asked.`],
  ])('that fits, %s, is taken', (_, answer) => {
    expect(checkAnswer(person, answer)).toEqual({ valid: true, value: fine, problems: [] });
  });

  it('that does not fit is told what is wrong with it', () => {
    const { valid, value, problems } = checkAnswer(person, '{"name":7,"x":1,"y":"z"}');
    expect({ valid, value }).toEqual({ valid: false, value: null });
    expect(problems).toEqual(
      expect.arrayContaining(['the answer lacks "age"', 'the answer may not have "x", "y"']),
    );
    expect(problems.join()).toContain('/name must be string');
  });

  it('without JSON is told so', () => {
    expect(checkAnswer(person, 'I could not do it').problems).toEqual([
      'no JSON was found in the answer',
    ]);
  });

  it('that a pattern would take for ever to check is ended, and does not fit', () => {
    const slow = acceptSchema({ type: 'string', pattern: '^(a+)+$' });
    const { valid, problems } = checkAnswer(slow, JSON.stringify(`${'a'.repeat(60)}!`));
    expect({ valid, problems }).toEqual({
      valid: false,
      problems: ['the answer could not be checked against the schema in time'],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { checkCall } from '../../src/agent/check-call.ts';
import type { ToolSpec } from '../../src/domain/message.ts';

const spec: ToolSpec = {
  name: 'tool',
  description: '',
  parameters: {
    type: 'object',
    properties: {
      n: { type: 'integer', minimum: 1 },
      all: { type: 'boolean' },
      items: { type: 'array', items: { type: 'string' } },
      text: { type: 'string' },
    },
    additionalProperties: false,
  },
};
const check = (args: object) =>
  checkCall({ id: 'c', name: 'tool', arguments: JSON.stringify(args) }, [spec], false);

describe('arguments that a model wrote as text', () => {
  it.each([
    [{ n: '12' }, { n: 12 }],
    [{ all: 'true' }, { all: true }],
    [{ items: '["a","b"]' }, { items: ['a', 'b'] }],
    [{ text: '12' }, { text: '12' }],
    [
      { text: 'true', n: 3 },
      { text: 'true', n: 3 },
    ],
  ])('%j is taken for %j', (given, args) => {
    expect(check(given)).toMatchObject({ ok: true, call: { args } });
  });

  it.each([
    [{ n: 'twelve' }, 'arguments.n must be of type integer, not string'],
    [{ n: '0' }, 'arguments.n must be at least 1, not 0'],
    [{ n: '1.5' }, 'arguments.n must be of type integer, not string'],
    [{ all: 'yes' }, 'arguments.all must be of type boolean, not string'],
    [{ items: '["a", 1]' }, 'arguments.items[1] must be of type string, not integer'],
    [{ items: '{"a":1}' }, 'arguments.items must be of type array, not string'],
  ])('%j is not: %s', (given, why) => {
    expect(check(given)).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  });
});

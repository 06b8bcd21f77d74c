import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';
import { parseToml } from '../../src/config/toml-file.ts';
import { lineFinder } from '../../src/config/toml-lines.ts';

const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? Number(v) : v)));
const read = (text: string) => {
  const { tables, problems } = parseToml('f', text);
  return { tables: plain(tables), lines: problems.map((p) => p.line) };
};

test('a repeated key keeps its first value and the rest of the file', () => {
  expect(read('[a]\nx = 1\nx = 2\ny = 3\n')).toEqual({ tables: { a: { x: 1, y: 3 } }, lines: [3] });
});

test('a repeated table does not pour its keys into its neighbour', () => {
  const { tables, lines } = read('[a]\nx = 1\n[b]\ny = 1\n[a]\nz = 1\n[c]\nw = 1\n');
  expect(tables).toMatchObject({ a: { x: 1 }, b: { y: 1 }, c: { w: 1 } });
  expect(lines).toEqual([5]);
});

test.each([
  ['two broken lines in a row', 'a = tru\nb = fals\nc = 1\n', { c: 1 }, [1, 2]],
  ['a list that stays open', 'a = [1,\n2\n\n[b]\nc = 1\n', { b: { c: 1 } }, [1]],
  [
    'a text over lines that stays open',
    'a = """x\nmore words\nagain\n[b]\nc = 1\n',
    { b: { c: 1 } },
    [1],
  ],
  ['a broken header', '[a]\nx = 1\n[b\ny = 1\n', { a: { x: 1 } }, [3]],
])('%s', (_, text, tables, lines) => {
  const found = read(text);
  expect(found.tables).toMatchObject(tables);
  expect(found.lines).toEqual(lines);
});

test('lines of keys: quoted, dotted, in inline tables, after texts and lists over several lines', () => {
  const line = lineFinder(
    '# [no]\na.b = """\n[x]\ny = 1\n"""\n["q r".s] # c\n\'t\' = [\n  "]", # ]\n  1,\n]\nu = { v = 1 }\n[[list]]\nw = "a # b"\n',
  );
  expect(line(['a', 'b'])).toBe(2);
  expect(line(['x'])).toBeNull();
  expect(line(['q r', 's'])).toBe(6);
  expect(line(['q r', 's', 't'])).toBe(7);
  expect(line(['q r', 's', 'u', 'v'])).toBe(11);
  expect(line(['list', 'w'])).toBe(13);
});

test('any text is read without an exception', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '[[',
    '"""',
    "'''",
    '"',
    '=',
    ' = 1',
    '\n',
    '\r\n',
    'a',
    'b.c',
    '{',
    '}',
    ',',
    '#',
    '\\',
    '__proto__',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const { line, problems } = parseToml('f', text);
      line(['a']);
      const count = text.split('\n').length;
      return problems.every((p) => p.line !== null && p.line >= 1 && p.line <= count);
    }),
    { numRuns: 500 },
  );
});

test('the nearest name, or none when nothing is near', () => {
  expect(nearest('prot', ['host', 'port'])).toBe('port');
  expect(nearest('MAX_SUBAGENT', ['MAX_SUBAGENTS'])).toBe('MAX_SUBAGENTS');
  expect(nearest('colour', ['port', 'host'])).toBeUndefined();
  expect(nearest('x'.repeat(10_000), ['port'])).toBeUndefined();
});

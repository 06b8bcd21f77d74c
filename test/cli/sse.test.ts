import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSseParser } from '../../src/cli/sse.ts';

const STREAM =
  '\ufeff: hello\n\nid: 1\nevent: query\ndata: {"text":"할 일 🎉"}\r\n\r\nretry: 1500\ndata: two\rdata: lines\r\rid: 3\ndata\n\ndata: unfinished';
const EXPECTED = [
  { id: '1', event: 'query', data: '{"text":"할 일 🎉"}' },
  { id: '1', event: 'message', data: 'two\nlines' },
  { id: '3', event: 'message', data: '' },
];

it('reads the same messages however the bytes are cut', () => {
  const bytes = new TextEncoder().encode(STREAM);
  const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (at) => {
      const parser = createSseParser();
      const ends = [...new Set([...at, bytes.length])].sort((a, b) => a - b);
      const got = ends.flatMap((end, i) => parser.push(bytes.subarray(ends[i - 1] ?? 0, end)));
      expect(got).toEqual(EXPECTED);
      expect(parser.retry()).toBe(1500);
    }),
  );
});

it('refuses a message without end before it fills the memory', () => {
  const parser = createSseParser();
  const megabyte = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}\n`);
  expect(() => {
    for (let i = 0; i < 20; i += 1) parser.push(megabyte);
  }).toThrow(/larger than 16 MiB/);
});

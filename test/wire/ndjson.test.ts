import { expect, test } from 'vitest';
import { lines } from '../../src/wire/ndjson.ts';

async function collect(chunks: Buffer[], limit = 1_000): Promise<string[]> {
  async function* source() {
    yield* chunks;
  }
  const found: string[] = [];
  for await (const line of lines(source(), limit)) found.push(line);
  return found;
}

test('lines are whole wherever the bytes are cut', async () => {
  const bytes = Buffer.from('{"t":"합니다 👩‍💻"}\n\n{"t":"二"}');
  for (const size of [1, 2, 3, 5, 100]) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    expect(await collect(chunks)).toEqual(['{"t":"합니다 👩‍💻"}', '', '{"t":"二"}']);
  }
});

test('a line without end and broken UTF-8 are refused', async () => {
  await expect(collect([Buffer.alloc(1_001, 'x')])).rejects.toThrow(/longer than 1000/);
  await expect(collect([Buffer.from([0xff, 0x0a])])).rejects.toThrow();
});

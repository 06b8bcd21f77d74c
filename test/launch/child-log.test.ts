import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createChildLog } from '../../src/launch/child-log.ts';
import { pumpLines } from '../../src/launch/line-pump.ts';
import { tempFolder } from '../support/temp-folder.ts';

const now = () => new Date('2030-01-02T03:04:05Z');
const open = (changes: { max_bytes?: number; file?: string } = {}) =>
  createChildLog({
    file: join(tempFolder(), 'logs/coder.log'),
    max_bytes: 100_000,
    mask: (text) => text.replaceAll('hunter2', '[secret]'),
    now,
    ...changes,
  });

test('lines carry time and source, secrets are masked, the file is for its owner only', async () => {
  const file = join(tempFolder(), 'logs/coder.log');
  const log = open({ file });
  log.add('17 stderr', 'the password is hunter2');
  expect(await log.tail(10)).toEqual([
    '2030-01-02T03:04:05.000Z [17 stderr] the password is [secret]',
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('the file turns over: two files of a bounded size, and the tail spans both', async () => {
  const file = join(tempFolder(), 'coder.log');
  const log = open({ file, max_bytes: 2_000 });
  for (let n = 0; n < 200; n += 1) {
    log.add('1 stdout', `line ${n}`);
    if (n % 10 === 9) await log.tail(1);
  }
  expect(statSync(file).size).toBeLessThanOrEqual(2_000);
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(2_000);
  const tail = await log.tail(40);
  expect(tail).toHaveLength(40);
  expect(tail.map((line) => Number(line.split(' ').at(-1)))).toEqual(
    Array.from({ length: 40 }, (_, n) => 160 + n),
  );
});

test('a flood is dropped and counted, not kept', async () => {
  const log = open({ max_bytes: 10_000_000 });
  for (let n = 0; n < 50_000; n += 1) log.add('1 stdout', 'x'.repeat(100));
  const tail = await log.tail(1);
  expect(tail[0]).toMatch(/\d+ lines dropped/);
});

test('a folder that cannot be written costs lines, not the service', async () => {
  const file = join(tempFolder(), 'a-file');
  writeFileSync(file, '');
  const log = open({ file: join(file, 'coder.log') });
  log.add('1 stdout', 'lost');
  expect(await log.tail(1)).toEqual([]);
});

function pumped(chunks: Buffer[]): Promise<string[]> {
  const stream = new PassThrough();
  const found: string[] = [];
  pumpLines(stream, (line) => found.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return new Promise((resolve) => stream.once('close', () => resolve(found)));
}
test('Hangul byte by byte, an unfinished last line, and a line without end', async () => {
  const text = Buffer.from('합니다 그리고\n你好');
  expect(await pumped([...text].map((byte) => Buffer.from([byte])))).toEqual([
    '합니다 그리고',
    '你好',
  ]);
  const [long] = await pumped(Array.from({ length: 100 }, () => Buffer.from('y'.repeat(1_000))));
  expect(long?.length).toBeLessThan(9_000);
  expect(long).toContain('characters cut');
});

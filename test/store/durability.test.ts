import { execFileSync, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Tx } from '../../src/domain/ports.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { expectWhole, openTemp, stoppedClock } from './support.ts';

/** A process that writes until it is killed, and what it has said so far. */
function startWriter(file: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/store/writer.ts', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const lines = () => out.split('\n').slice(0, -1);
  const acks = () =>
    lines().flatMap((line) => (line.startsWith('ack ') ? [Number(line.slice(4))] : []));
  const kill = async () => {
    child.kill('SIGKILL');
    await until(() => child.signalCode && child.stdout.readableEnded, 5000, 'the writer is dead');
  };
  onTestFinished(kill);
  return { pid: child.pid ?? 0, lines, acks, kill };
}

describe('kill -9', () => {
  it.each([1, 200, 900])('after %d acknowledgements loses none of them', async (n) => {
    const file = join(tempFolder(), 'state.db');
    const writer = startWriter(file);
    await until(() => writer.acks().length >= n, 15_000, `${n} acknowledgements`);
    await writer.kill();
    expectWhole(file, writer.acks());
  });
});

describe('a full disk', () => {
  it('refuses with storage_full, loses nothing acknowledged, and goes on when there is room', async () => {
    const file = join(tempFolder(), 'state.db');
    const writer = startWriter(file);
    await until(() => writer.acks().length >= 50, 15_000, 'the writer works');
    // No file of that process may grow further: what a full disk does to a write.
    const size = Math.max(statSync(file).size, statSync(`${file}-wal`).size);
    const limit = (bytes: string) =>
      execFileSync('prlimit', [`--pid=${writer.pid}`, `--fsize=${bytes}:unlimited`]);
    limit(String(size));
    const refused = () => writer.lines().filter((line) => !line.startsWith('ack'));
    await until(() => refused().length >= 8, 15_000, 'units are refused');
    limit('unlimited');
    const before = writer.acks().length;
    await until(() => writer.acks().length >= before + 50, 15_000, 'the writer works again');
    await writer.kill();
    expect(new Set(refused())).toEqual(new Set(['storage_full']));
    expectWhole(file, writer.acks());
  });

  it('rejects the whole group when SQLite gives up on the transaction', async () => {
    await using opened = await openTemp(stoppedClock);
    const { store, database } = opened;
    const pages = Object.values(database.writer.get<object>('PRAGMA page_count') ?? {})[0];
    database.writer.get(`PRAGMA max_page_count = ${Number(pages) + 1}`);
    const append = (detail: string) =>
      store.tx((t) => t.events.append({ kind: 'tool', state: 'x', detail }));
    const answers = await Promise.allSettled([append('small'), append('z'.repeat(100_000))]);
    expect(answers.map((a) => a.status === 'rejected' && a.reason.code)).toEqual([
      'storage_full',
      'storage_full',
    ]);
    expect(await store.reads.events.last()).toBe(0);
    database.writer.get('PRAGMA max_page_count = 1000000');
    expect(await append('z'.repeat(100_000))).toBe(1);
  });
});

describe('what nobody was told to wait for', () => {
  it('is stored by itself, in order, when there is room again', async () => {
    let still = true;
    await using opened = await openTemp({
      ...stoppedClock,
      mono: () => (still ? 0 : performance.now()),
    });
    const { store, database } = opened;
    const seen: string[] = [];
    store.onCommit((events) => seen.push(...events.map((e) => e.detail)));
    const pages = Object.values(database.writer.get<object>('PRAGMA page_count') ?? {})[0];
    database.writer.get(`PRAGMA max_page_count = ${Number(pages) + 1}`);
    const append = (detail: string) => (t: Tx) =>
      t.events.append({ kind: 'tool', state: 'x', detail });
    // The first two have been answered when the third takes the transaction with it.
    const answers = await Promise.allSettled([
      store.soon(append('one')),
      store.soon(append('two')),
      store.tx(append('z'.repeat(100_000))),
    ]);
    expect(answers.map((a) => a.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await store.reads.events.last()).toBe(0);
    await expect(store.tx(append('y'.repeat(100_000)))).rejects.toMatchObject({
      code: 'storage_full',
    });
    database.writer.get('PRAGMA max_page_count = 1000000');
    still = false;
    await until(() => seen.length === 2, 5_000, 'what was owed is stored');
    expect(seen).toEqual(['one', 'two']);
    expect((await store.reads.events.after(0, {}, 9)).map((e) => e.detail)).toEqual(seen);
    expect(await store.tx(append('three'))).toBe(3);
  });
});

describe('a lock held by another program', () => {
  const lock = (file: string) => {
    const other = new Sqlite(file);
    other.exec('BEGIN IMMEDIATE');
    return other;
  };

  it('is waited for without stopping the event loop', async () => {
    await using opened = await openTemp();
    const other = lock(opened.file);
    const append = opened.store.tx((t) => t.events.append({ kind: 'tool', state: 'x' }));
    for (let beats = 0; beats < 3; beats += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    other.close();
    expect(await append).toBe(1);
  });

  it('ends in storage_busy when it stays, and only then', async () => {
    await using opened = await openTemp();
    const other = lock(opened.file);
    const append = () => opened.store.tx((t) => t.events.append({ kind: 'tool', state: 'x' }));
    const answers = await Promise.allSettled([append(), append()]);
    expect(answers.map((a) => a.status === 'rejected' && a.reason.code)).toEqual([
      'storage_busy',
      'storage_busy',
    ]);
    other.close();
    expect(await append()).toBe(1);
  });
});

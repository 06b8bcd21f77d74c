// Files that were cut, changed or lost while nothing served: a start has a valid prefix and says so, or is refused.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { type Log, silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const EVENTS = 150;
const detailOf = (n: number): string => `event ${n} ${'x'.repeat(400)}`;

/** Deterministic: a red run can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state % below;
  };
}

/** The files of a main that was killed: nothing has been moved out of the log (`logged`), or everything. */
async function crashed(folder: string, logged: boolean): Promise<string> {
  const live = join(folder, 'live', 'state.db');
  const database = openDatabase({ file: live, log: silentLog });
  const store = createStore({ database, log: silentLog });
  database.writer.get('PRAGMA wal_autocheckpoint = 0');
  database.writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let n = 1; n <= EVENTS; n += 1)
    await store.tx((t) => t.events.append({ kind: 'tool', state: 'x', detail: detailOf(n) }));
  if (!logged) database.writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
  const file = join(folder, 'state.db');
  for (const end of ['', '-wal', '.lock']) copyFileSync(`${live}${end}`, `${file}${end}`);
  await store.close();
  return file;
}

type Opened = { events: number; warnings: string[] } | { refused: string };

/** What a start finds: how many events, the first ones without a hole and as they were; or why it is refused. */
async function start(file: string, used = true): Promise<Opened> {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, text) => void warnings.push(text) };
  try {
    const database = openDatabase({ file, log, used });
    const store = createStore({ database, log: silentLog });
    const events = await store.reads.events.after(0, {}, EVENTS + 9);
    const integrity = database.reader.get('PRAGMA integrity_check');
    await store.close();
    expect(integrity).toEqual({ integrity_check: 'ok' });
    expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map((e) => e.detail)).toEqual(events.map((_, i) => detailOf(i + 1)));
    return { events: events.length, warnings };
  } catch (error) {
    if (error instanceof AppError) return { refused: `${error.code}: ${error.message}` };
    throw error;
  }
}

let folder = '';
let master = '';
const aCopy = (name: string): string => {
  const place = join(folder, name);
  mkdirSync(place);
  const file = join(place, 'state.db');
  for (const end of ['', '-wal', '.lock'])
    if (existsSync(`${master}${end}`)) copyFileSync(`${master}${end}`, `${file}${end}`);
  return file;
};
const flip = (path: string, at: number, bit: number): void => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  writeFileSync(path, bytes);
};

describe('the write-ahead log of a main that was killed', () => {
  beforeEach(async () => {
    folder = tempFolder();
    master = await crashed(folder, true);
  });

  it('is used whole, without a word', async () => {
    expect(await start(aCopy('whole'))).toEqual({
      ...{ events: EVENTS, warnings: ['took over the lock of a main that is gone'] },
    });
  });

  it('cut off anywhere gives the events before that place', async () => {
    const random = numbers(1);
    const found: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const file = aCopy(`cut-${n}`);
      truncateSync(`${file}-wal`, random(readFileSync(`${file}-wal`).length));
      const opened = await start(file);
      expect(opened).toHaveProperty('events');
      if ('events' in opened) found.push(opened.events);
    }
    expect(Math.min(...found)).toBeLessThan(EVENTS);
  });

  it('with one changed bit gives the events before that place, and says that something is missing', async () => {
    const random = numbers(2);
    for (let n = 0; n < 12; n += 1) {
      const file = aCopy(`flip-${n}`);
      const bytes = readFileSync(`${file}-wal`).length;
      flip(`${file}-wal`, n < 4 ? random(32) : random(bytes), random(8));
      const opened = await start(file);
      expect(opened).toHaveProperty('events');
      if (!('events' in opened) || opened.events === EVENTS) continue;
      expect(opened.warnings.join()).toContain('the write-ahead log ends within a write');
    }
  });

  it('that is missing is told', async () => {
    const file = aCopy('missing');
    rmSync(`${file}-wal`);
    const opened = await start(file);
    expect(opened).toMatchObject({ events: 0 });
    expect((opened as { warnings: string[] }).warnings.join()).toContain('is not here');
  });
});

describe('the database file', () => {
  beforeEach(async () => {
    folder = tempFolder();
    master = await crashed(folder, false);
  });

  it('cut off is refused with advice and left as it is', async () => {
    const random = numbers(3);
    const bytes = readFileSync(master).length;
    for (let n = 0; n < 8; n += 1) {
      const file = aCopy(`cut-${n}`);
      truncateSync(file, 1 + random(bytes - 4_097));
      const before = readFileSync(file);
      const opened = await start(file);
      expect(opened).toMatchObject({ refused: expect.stringMatching(/storage_unusable.*damaged/) });
      expect(opened).toMatchObject({ refused: expect.stringMatching(/Restore a copy/) });
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('of no bytes is refused where a server has worked, and a beginning where none has', async () => {
    for (const end of ['-wal', '']) {
      const file = aCopy(`empty${end}`);
      truncateSync(file, 0);
      if (end === '') truncateSync(`${file}-wal`, 0);
      expect(await start(file, true)).toMatchObject({
        refused: expect.stringMatching(/is empty, but.*Restore a copy, or remove it/),
      });
      expect(readFileSync(file)).toHaveLength(0);
    }
    const young = join(folder, 'young.db');
    writeFileSync(young, '');
    expect(await start(young, false)).toMatchObject({ events: 0 });
  });

  it('with one changed bit is refused, or is used where SQLite cannot tell', async () => {
    const random = numbers(4);
    const bytes = readFileSync(master).length;
    let refused = 0;
    for (let n = 0; n < 24; n += 1) {
      const file = aCopy(`flip-${n}`);
      flip(file, n < 8 ? random(100) : random(bytes), random(8));
      const before = readFileSync(file);
      try {
        const database = openDatabase({ file, log: silentLog });
        database.close();
      } catch (error) {
        refused += 1;
        expect(error).toMatchObject({ code: 'storage_unusable' });
        expect(readFileSync(file).equals(before)).toBe(true);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});

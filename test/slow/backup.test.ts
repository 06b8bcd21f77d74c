// A copy of the database while it is in use, and its way back.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { BackupReport } from '../../src/domain/retention.ts';
import { builtCli } from '../support/built-cli.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

const finish = async (troupe: Troupe, text: string) =>
  troupe.ended((await troupe.start('coder', text)).task_id);
const countIn = (file: string, sql: string): number => {
  const db = new Sqlite(file, { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return Number(db.prepare(sql).pluck().get());
  } finally {
    db.close();
  }
};
const restore = (file: string, folder: string) =>
  builtCli(['restore', file, '--state-dir', folder, '--json']);

describe('backup', { timeout: 60_000 }, () => {
  it('made under load is whole, and main answers meanwhile', async () => {
    const troupe = await startTroupe();
    await finish(troupe, 'x'.repeat(20_000));
    let accepted = 0;
    let busy = true;
    const load = async (): Promise<void> => {
      while (busy) {
        await troupe.start('coder', 'more');
        accepted += 1;
      }
    };
    const loads = [load(), load()];
    const folder = tempFolder();
    const copies: { path: string; before: number }[] = [];
    let slowest = 0;
    const probe = async (): Promise<void> => {
      while (busy) {
        const since = performance.now();
        await troupe.call('GET', '/livez');
        slowest = Math.max(slowest, performance.now() - since);
      }
    };
    const probing = probe();
    for (let n = 0; n < 4; n += 1) {
      const copy = { path: join(folder, `${n}.db`), before: accepted };
      const made = await troupe.call<BackupReport>('POST', '/v1/backup', { path: copy.path });
      expect(made).toMatchObject({ state: 'done', bytes: statSync(copy.path).size });
      copies.push(copy);
    }
    busy = false;
    await Promise.all([...loads, probing]);
    expect(slowest).toBeLessThan(1_000);
    expect(readdirSync(folder).sort()).toEqual(copies.map((_, n) => `${n}.db`));
    for (const { path, before } of copies) {
      // What was acknowledged before it began is in it, and no event is missing.
      expect(countIn(path, 'SELECT count(*) FROM tasks')).toBeGreaterThanOrEqual(before);
      expect(countIn(path, 'SELECT max(event_id) - count(*) FROM subagent_events')).toBe(0);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(await troupe.call('GET', '/v1/backup')).toMatchObject({ path: copies.at(-1)?.path });
  });

  it('never takes the place of a file, and names what is wrong with a path', async () => {
    const troupe = await startTroupe();
    const folder = tempFolder();
    writeFileSync(join(folder, 'mine'), 'mine');
    const ask = (path: string) => troupe.ask<{ detail: string }>('POST', '/v1/backup', { path });
    expect(await ask(join(folder, 'mine'))).toMatchObject({ status: 409 });
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
    for (const path of ['copy.db', join(folder, 'no', 'copy.db'), '', '/dev/null/x'])
      expect(await ask(path)).toMatchObject({ status: 400 });
    const readonly = await ask('/proc/copy.db');
    expect(readonly.status).toBeGreaterThanOrEqual(400);
    const many = await Promise.all(['a', 'b', 'c'].map((name) => ask(join(folder, name))));
    expect(new Set(many.map((answer) => answer.status))).toEqual(new Set([200, 409]));
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('comes back into a stopped folder: rows, work to do, and numbers that go on higher', async () => {
    const folder = tempFolder();
    const first = await startTroupe({ folder });
    const kept = await finish(first, 'in the copy');
    const open = await first.start('planner', '[[delay=600000]]');
    const file = join(tempFolder(), 'copy.db');
    const saved = await builtCli(['backup', file, '--url', first.url]);
    expect(saved).toMatchObject({ code: 0, out: expect.stringContaining('checked') });
    const later = await finish(first, 'not in the copy');
    const given = (await first.events()).at(-1)?.seq ?? 0;
    const refused = await restore(file, folder);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('in use by another main'),
    });
    await first.kill();

    const done = await restore(file, folder);
    expect(done).toMatchObject({ code: 0, err: '' });
    const told = JSON.parse(done.out) as { kept: string; first_kept_seq: number };
    expect(told.kept).toMatch(/troupe\.db\.before-restore-\d{8}T\d{6}Z$/);
    expect(countIn(told.kept, 'SELECT count(*) FROM tasks')).toBe(3);
    expect(told.first_kept_seq).toBeGreaterThan(given);

    const second = await startTroupe({ folder });
    expect((await second.task(kept.task_id)).result).toBe('in the copy');
    expect(await second.ask('GET', `/v1/tasks/${later.task_id}`)).toMatchObject({ status: 404 });
    expect(['assigned', 'running']).toContain((await second.task(open.task_id)).status);
    expect(await second.ask('GET', `/v1/events?after=${given}`)).toMatchObject({ status: 410 });
    const after = await finish(second, 'and on');
    const events = await second.events(`&query_id=${after.query_id}`);
    expect(events[0]?.seq).toBeGreaterThanOrEqual(told.first_kept_seq);
  });

  it('that is damaged, foreign or newer is refused, and nothing is changed', async () => {
    const folder = tempFolder();
    const troupe = await startTroupe({ folder });
    const task = await finish(troupe, 'safe');
    const place = tempFolder();
    const good = join(place, 'good.db');
    await troupe.call('POST', '/v1/backup', { path: good });
    await troupe.stop();
    const change = (name: string, how: (file: string) => void): string => {
      const file = join(place, name);
      copyFileSync(good, file);
      how(file);
      return file;
    };
    const before = readFileSync(join(folder, 'troupe.db'));
    const bad: [string, string][] = [
      [join(place, 'missing.db'), 'does not exist'],
      [join(folder, 'troupe.db'), 'is the database that is to be replaced'],
      [
        change('text', (file) => writeFileSync(file, 'To be or not to be. '.repeat(999))),
        'damaged',
      ],
      [change('empty', (file) => writeFileSync(file, '')), 'not a backup'],
      [
        change('damaged', (file) => {
          const bytes = readFileSync(file);
          bytes.fill(0xa5, 4096 * 3, 4096 * 8);
          writeFileSync(file, bytes);
        }),
        'damaged',
      ],
      [
        change('newer', (file) => {
          const db = new Sqlite(file);
          db.pragma('user_version = 99');
          db.close();
        }),
        'newer release',
      ],
      [
        change('foreign', (file) => {
          const db = new Sqlite(file);
          db.pragma('application_id = 7');
          db.close();
        }),
        'not a backup',
      ],
    ];
    for (const [file, why] of bad) {
      const { code, err } = await restore(file, folder);
      expect({ file, code, err }).toMatchObject({ code: 1, err: expect.stringContaining(why) });
    }
    expect(readFileSync(join(folder, 'troupe.db')).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => /restor/.test(name))).toEqual([]);
    const elsewhere = join(tempFolder(), 'new', 'data');
    expect(await restore(good, elsewhere)).toMatchObject({ code: 0 });
    expect(existsSync(join(elsewhere, 'troupe.db'))).toBe(true);
    const again = await startTroupe({ folder: elsewhere });
    expect((await again.task(task.task_id)).result).toBe('safe');
  });
});

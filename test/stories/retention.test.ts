// What ended long ago leaves the state folder while the server serves; what is at work, and what is not ours, stays.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GcReport } from '../../src/domain/retention.ts';
import { openSse } from '../http/stream-client.ts';
import { builtCli as cli } from '../support/built-cli.ts';
import { openSocket } from '../support/event-socket.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const workdirOf = async (troupe: Troupe, query_id: string): Promise<string> =>
  (await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`)).workdir;
const done = async (troupe: Troupe, text: string) => {
  const task = await troupe.ended((await troupe.start('coder', text)).task_id);
  return { ...task, workdir: await workdirOf(troupe, task.query_id) };
};
const gc = (troupe: Troupe, body: object = {}): Promise<GcReport> =>
  troupe.call('POST', '/v1/gc', { older_than_s: 0, ...body });
const status = async (troupe: Troupe, path: string): Promise<number> =>
  (await troupe.ask('GET', path)).status;

describe('gc', { timeout: 60_000 }, () => {
  it('removes ended queries with files and rows, and nothing that is at work', async () => {
    const troupe = await startTroupe();
    const old = await done(troupe, '[[tool write {"path": "a.txt", "content": "12345"}]] made');
    const failed = await done(troupe, '[[fail]]');
    const busy = await troupe.start('planner', '[[delay=600000]]');
    await until(
      async () => (await troupe.task(busy.task_id)).status === 'running',
      20_000,
      'the task runs',
    );
    expect(existsSync(join(old.workdir, 'a.txt'))).toBe(true);
    expect((await gc(troupe, { older_than_s: 3_600 })).rows.queries).toBe(0);

    const look = await gc(troupe, { dry_run: true });
    expect(look.rows).toMatchObject({ queries: 2, tasks: 2 });
    expect(look.workdirs).toMatchObject({ kept: 0 });
    expect(look.workdirs.bytes).toBeGreaterThan(4);
    expect((await troupe.task(old.task_id)).result).toBe('made');
    expect(existsSync(old.workdir)).toBe(true);

    const real = await gc(troupe);
    expect({ ...real, before: '', first_kept_seq: 0 }).toEqual({
      ...{ ...look, dry_run: false, before: '', first_kept_seq: 0 },
    });
    for (const { task_id, query_id, workdir } of [old, failed]) {
      expect(await status(troupe, `/v1/tasks/${task_id}`)).toBe(404);
      expect(await status(troupe, `/v1/queries/${query_id}/events`)).toBe(404);
      expect(existsSync(workdir)).toBe(false);
    }
    expect((await troupe.task(busy.task_id)).status).toBe('running');
    const events = await troupe.events(`&task_id=${busy.task_id}`);
    expect(events.map((e) => e.state)).toEqual(['created', 'assigned', 'running']);
    const after = await done(troupe, 'still here');
    expect(after.result).toBe('still here');
    const last = await troupe.call<{ data: { seq: number }[] }>(
      'GET',
      `/v1/events?query_id=${after.query_id}`,
    );
    expect(last.data[0]?.seq).toBeGreaterThan(real.first_kept_seq);
  });

  it('tells a reader whose place is gone, and nobody else', async () => {
    const troupe = await startTroupe();
    const kept = await troupe.start('planner', '[[delay=600000]]');
    const old = await done(troupe, 'one');
    const place = (await troupe.events(`&query_id=${old.query_id}`))[0]?.seq ?? 0;
    const { first_kept_seq } = await gc(troupe);
    expect(first_kept_seq).toBeGreaterThan(place);
    const refused = await troupe.ask<{ code: string; data: object }>(
      'GET',
      `/v1/events?after=${place}`,
    );
    expect(refused).toMatchObject({
      status: 410,
      body: { code: 'gone', data: { first_kept_seq } },
    });
    const sse = await openSse(`${troupe.url}/v1/events`, { 'last-event-id': String(place) });
    expect(sse.answer.statusCode).toBe(410);
    sse.stop();
    const socket = await openSocket(troupe.url, place);
    await until(() => socket.messages.length > 0, 10_000, 'the answer');
    expect(socket.messages[0]).toMatchObject({ type: 'error', code: 'gone' });
    socket.socket.terminate();
    // Of one query everything is there, from any place.
    const own = `/v1/queries/${kept.query_id}/events`;
    const all = (await troupe.call<{ data: { seq: number }[] }>('GET', own)).data;
    expect(all.length).toBeGreaterThan(1);
    expect(await status(troupe, `${own}?after=${all[0]?.seq}`)).toBe(200);
    // From the beginning one gets what is left, page by page.
    const seen: number[] = [];
    let next: string | null = `/v1/events?limit=2`;
    while (next !== null) {
      const page: { data: { seq: number }[]; next_cursor: string | null } = await troupe.call(
        'GET',
        next,
      );
      seen.push(...page.data.map((e) => e.seq));
      next = page.next_cursor === null ? null : `/v1/events?limit=2&cursor=${page.next_cursor}`;
    }
    expect(seen).toContain(all[0]?.seq);
    expect(seen).not.toContain(place);
    expect(await status(troupe, `/v1/events?after=${first_kept_seq - 1}`)).toBe(200);
    const told = await cli(['events', '--after', String(place), '--url', troupe.url]);
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('removed for their age') });
  });

  it('never removes through a link, outside of the state folder, or what has another name', async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, 'mine.txt'), 'mine');
    const folder = tempFolder();
    const troupe = await startTroupe({
      folder,
      config: `[server]\nworkspace_roots = [${JSON.stringify(outside)}]\n`,
    });
    const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
      ...{ input: 'hello', workdir: outside },
    });
    await until(
      async () =>
        !['queued', 'running'].includes(
          (await troupe.call<{ status: string }>('GET', `/v1/queries/${query_id}`)).status,
        ),
      20_000,
      'the end of the query',
    );
    const sessions = join(folder, 'query_sessions');
    symlinkSync(outside, join(sessions, '20200101_000000'));
    mkdirSync(join(sessions, 'mine'));
    mkdirSync(join(sessions, '20200101_000001'));
    writeFileSync(join(sessions, '20200101_000001', 'left.txt'), 'left by a crash');
    mkdirSync(join(sessions, '20200101_000002'));
    for (const name of ['mine', '20200101_000001'])
      utimesSync(join(sessions, name), LONG_AGO, LONG_AGO);
    const logs = join(folder, 'logs');
    mkdirSync(logs, { recursive: true });
    for (const name of ['coder.log', 'coder.log.1', 'young.log.1', 'notes.txt'])
      writeFileSync(join(logs, name), 'text');
    for (const name of ['coder.log', 'coder.log.1', 'notes.txt'])
      utimesSync(join(logs, name), LONG_AGO, LONG_AGO);

    const linked = await done(troupe, 'x');
    const report = await gc(troupe, { older_than_s: 0 });
    expect(report.workdirs.kept).toBe(1);
    expect(existsSync(linked.workdir)).toBe(false);
    expect(await status(troupe, `/v1/queries/${query_id}`)).toBe(404);
    expect(readdirSync(outside)).toEqual(['mine.txt']);
    // A folder without a row goes when it is old; a young one may belong to a row that is being written.
    expect(readdirSync(sessions).sort()).toEqual(['20200101_000000', '20200101_000002', 'mine']);
    const left = readdirSync(logs).filter(
      (name) => !name.startsWith('coder.log') || name === 'coder.log',
    );
    expect(left.sort()).toEqual(['coder.log', 'notes.txt']);
    expect(report.logs.removed).toBe(2);
  });

  it('is a command: through the server, on a stopped folder, or not at all', async () => {
    const folder = tempFolder();
    const troupe = await startTroupe({ folder });
    await done(troupe, 'one');
    const running = ['gc', '--older', '0s', '--url', troupe.url];
    const look = await cli([...running, '--dry-run', '--json']);
    expect(JSON.parse(look.out)).toMatchObject({ dry_run: true, rows: { queries: 1 } });
    const locked = await cli(['gc', '--older', '0s', '--state-dir', folder]);
    expect(locked).toMatchObject({
      code: 1,
      err: expect.stringContaining('in use by another main'),
    });
    expect(await cli(running)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/queries +1\n/),
    });
    await done(troupe, 'two');
    await troupe.stop();
    const absent = await cli(running);
    expect(absent).toMatchObject({ code: 3, err: expect.stringContaining('--state-dir') });
    const stopped = await cli(['gc', '--older', '0s', '--state-dir', folder, '--json']);
    expect(JSON.parse(stopped.out)).toMatchObject({
      rows: { queries: 1 },
      workdirs: { removed: 1 },
    });
    const nowhere = await cli(['gc', '--older', '30d', '--state-dir', tempFolder()]);
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('no state folder') });
  });

  it('needs the scope of an administrator, and says what is wrong with a request', async () => {
    const troupe = await startTroupe();
    for (const body of [{}, { older_than_s: -1 }, { older_than_s: 1.5 }, { older_than_s: '1' }])
      expect(await troupe.ask('POST', '/v1/gc', body)).toMatchObject({ status: 400 });
    const many = await Promise.all([gc(troupe), troupe.ask('POST', '/v1/gc', { older_than_s: 0 })]);
    expect(many[0].rows.queries).toBe(0);
    expect([200, 409]).toContain((many[1] as { status: number }).status);
  });
});

// gc, backup and restore as commands: what they ask, print, and how they end.
import { expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { type GcReport, noRows } from '../../src/domain/retention.ts';
import { fakeServer, json } from './fake-server.ts';
import { cli } from './in-process.ts';

const report = (more: boolean): GcReport => ({
  ...{
    dry_run: false,
    before: '2026-01-01T00:00:00.000Z',
    more,
    rows: { ...noRows(), queries: 7 },
  },
  ...{ workdirs: { removed: 6, kept: 1, bytes: 2_048 }, logs: { removed: 1, bytes: 10 } },
  first_kept_seq: 99,
});

it('gc asks until nothing is left, and prints the sum', async () => {
  let asked = 0;
  const server = await fakeServer({
    'POST /v1/gc': (_, response) => {
      asked += 1;
      json(response, 200, report(asked < 3));
    },
  });
  const { code, out } = await cli(['gc', '--older', '30d', '--url', server.url]);
  expect(code).toBe(0);
  expect(asked).toBe(3);
  expect(out).toMatch(/queries +21\n/);
  expect(out).toContain('18, 6.0 KiB');
  expect(out).toContain('3: named by those who asked');
  expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
    ...{ older_than_s: 2_592_000, dry_run: false },
  });
  const one = await cli(['gc', '--older', '12h', '--json', '--dry-run', '--url', server.url]);
  expect(JSON.parse(one.out)).toEqual(report(false));
});

it.each(['30', '-1d', '1e3d', '30 d', '4000d', ''])('gc refuses the age "%s"', async (age) => {
  expect(await cli(['gc', `--older=${age}`])).toMatchObject({ code: 2, out: '' });
});

it('gc needs an age, restore a folder', async () => {
  expect(await cli(['gc'])).toMatchObject({ code: 2 });
  expect(await cli(['restore', 'a.db'])).toMatchObject({ code: 2 });
});

it('without a server gc and backup exit 3 and say what else there is', async () => {
  const server = await fakeServer();
  await server.stop();
  const gone = await cli(['gc', '--older', '1d', '--url', server.url]);
  expect(gone).toMatchObject({ code: 3, err: expect.stringContaining('--state-dir') });
  expect(await cli(['backup', 'a.db', '--url', server.url])).toMatchObject({ code: 3 });
});

it('backup waits for a copy that takes long, and gives the path whole', async () => {
  let looks = 0;
  const path = '/srv/copies/a.db';
  const now = (state: string, bytes: number | null, error: string | null = null) => ({
    ...{ path, state, bytes, duration_ms: null, error },
  });
  const server = await fakeServer({
    'POST /v1/backup': (_, response) => json(response, 202, now('running', null)),
    'GET /v1/backup': (_, response) => {
      looks += 1;
      json(response, 200, looks < 2 ? now('running', null) : now('done', 4_096));
    },
  });
  const made = await cli(['backup', 'copies/a.db', '--url', server.url], { cwd: '/srv' });
  expect(made).toMatchObject({ code: 0, out: '/srv/copies/a.db  4.0 KiB  checked\n' });
  expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({ path });
  const failed = await fakeServer({
    'POST /v1/backup': (_, response) => json(response, 200, now('failed', null, 'disk is full')),
  });
  const no = await cli(['backup', path, '--url', failed.url]);
  expect(no).toMatchObject({ code: 1, err: expect.stringContaining('disk is full') });
});

it('restore says what it did, and why not', async () => {
  const done = { file: '/s/troupe.db', from: '/b.db', kept: '/s/old', schema_version: 1 };
  const args = ['restore', 'b.db', '--state-dir', '/s'];
  const good = await cli(args, { local: { restore: async () => done } });
  expect(good.code).toBe(0);
  expect(good.out).toContain('/s/troupe.db  restored from /b.db\nwhat was there: /s/old');
  const restore = async (): Promise<never> => {
    throw new AppError('storage_unusable', 'the data folder /s is in use by another main');
  };
  const bad = await cli(args, { local: { restore } });
  expect(bad).toMatchObject({ code: 1, out: '', err: expect.stringContaining('in use') });
});

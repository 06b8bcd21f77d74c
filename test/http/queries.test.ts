import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/domain/query.ts';
import { rawRequest } from './raw.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
const ask = async (body: object = { input: 'Write hello.py' }) => {
  const answer = await world.post('/v1/queries', body);
  return { answer, query: (await answer.json()) as Query };
};

describe('a query', () => {
  it('is accepted with its options', async () => {
    const options = { model: 'echo', background: true } as const;
    const { answer, query } = await ask({ input: 'hi', workdir: '/srv/x', ...options });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/v1/queries/${query.query_id}`);
    expect(world.calls.at(-1)?.args).toEqual([{ input: 'hi', workdir: '/srv/x' }, options]);
  });
  it('leaves out what was not said, so that defaults hold', async () => {
    await ask({ input: 'hi' });
    expect(world.calls.at(-1)?.args).toEqual([{ input: 'hi' }, {}]);
  });
  it('is refused with unknown fields or an empty request', async () => {
    expect((await ask({ input: 'hi', modle: 'echo' })).answer.status).toBe(400);
    expect((await ask({ input: ' \n ' })).answer.status).toBe(400);
    expect((await ask({ input: 'hi', background: 'maybe' })).answer.status).toBe(400);
  });
  it('can be read, followed up and cancelled', async () => {
    const { query } = await ask();
    const path = `/v1/queries/${query.query_id}`;
    expect(await (await world.get(path)).json()).toMatchObject({ status: 'queued' });
    const followed = await world.post(`${path}/messages`, { text: 'and a test' });
    expect(followed.status).toBe(202);
    expect(await (await world.post(`${path}/cancel`)).json()).toMatchObject({
      status: 'cancelled',
    });
    expect(await (await world.get(`${path}?wait_ms=60000`)).json()).toMatchObject({
      status: 'cancelled',
    });
    const page = (await (await world.get('/v1/queries?limit=1')).json()) as { data: Query[] };
    expect(page.data[0]?.query_id).toBe(query.query_id);
  });
  it('shows its tree and its result', async () => {
    const { query } = await ask();
    const read = async (what: string) =>
      (await world.get(`/v1/queries/${query.query_id}/${what}`)).json();
    expect(await read('tree')).toMatchObject({ id: query.query_id, children: [] });
    expect(await read('result')).toMatchObject({ query_id: query.query_id });
  });
  it('that does not exist is 404 on every route', async () => {
    for (const rest of [
      '',
      '/tree',
      '/result',
      '/files',
      '/files/a.txt',
      '/workspace.zip',
      '/events',
    ])
      expect((await world.get(`/v1/queries/no-such${rest}`)).status).toBe(404);
  });
});

describe('files', () => {
  it('are listed and downloaded, never shown as pages', async () => {
    const { query } = await ask();
    const path = `/v1/queries/${query.query_id}`;
    const list = (await (await world.get(`${path}/files`)).json()) as { data: { path: string }[] };
    expect(list.data).toHaveLength(1);
    const file = await world.get(`${path}/files/src/${encodeURIComponent('한글 "x".html')}`);
    expect(await file.text()).toBe('hello');
    expect(world.calls.at(-1)?.args).toEqual([query.query_id, 'src/한글 "x".html']);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-length')).toBe('5');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"]*"; /);
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const zip = await world.get(`${path}/workspace.zip`);
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect(await zip.text()).toContain('PK');
  });
  it('outside are the business of the service, which gets the path as it was asked', async () => {
    const { query } = await ask();
    for (const path of ['../../etc/passwd', '..%2f..%2fetc%2fpasswd', 'a/%2e%2e/%2e%2e/x']) {
      const raw = rawRequest(
        world.port,
        `GET /v1/queries/${query.query_id}/files/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 404/);
    }
  });
});

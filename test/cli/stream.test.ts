import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/cli/client.ts';
import { follow } from '../../src/cli/stream.ts';
import { until } from '../support/until.ts';
import { event, type FakeServer, fakeServer, frame, problem } from './fake-server.ts';

function reader(server: FakeServer, more: { giveUpMs?: number } = {}) {
  const client = createClient({ url: server.url, apiKey: null });
  const stop = new AbortController();
  const seen: number[] = [];
  const links: string[] = [];
  const gaps: string[] = [];
  const done = (async () => {
    const events = follow(client, {
      ...{ path: '/v1/events', after: 0, signal: stop.signal, ...more },
      onLink: (state) => links.push(state),
      onGap: (text) => gaps.push(text),
    });
    for await (const { seq } of events) seen.push(seq);
  })();
  done.catch(() => {});
  onTestFinished(async () => {
    stop.abort();
    await done.catch(() => {});
    await client.close();
  });
  const sees = (count: number) =>
    until(() => seen.length >= count, 10_000, `${count} events, has ${seen}`);
  return { seen, links, gaps, done, sees };
}

it('resumes after a cut connection with every event once', async () => {
  const server = await fakeServer();
  const { seen, sees } = reader(server);
  await until(() => server.streams.size === 1, 5_000, 'a stream');
  server.emit(event(1, 'query', 'running'), event(2, 'subagent', 'created'));
  await sees(2);
  server.cut();
  server.store(event(3, 'subagent', 'assigned'), event(4, 'subagent', 'running'));
  await sees(4);
  server.emit(event(5, 'subagent', 'completed'));
  await sees(5);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(server.asked.at(-1)?.headers['last-event-id']).toBe('2');
});

it('whose place has been removed is told so and goes on with what is left, nothing twice', async () => {
  const server = await fakeServer();
  const { seen, gaps, sees } = reader(server);
  await until(() => server.streams.size === 1, 5_000, 'a stream');
  server.emit(event(1, 'query', 'running'), event(3, 'query', 'completed'));
  await sees(2);
  const events = server.routes['GET /v1/events'];
  server.routes['GET /v1/events'] = (request, response, body) => {
    if (request.headers['last-event-id'] === '3') problem(response, 410, 'gone', 'removed: 4 to 6');
    else events?.(request, response, body);
  };
  server.store(event(7, 'query', 'running'));
  server.cut();
  await sees(3);
  server.emit(event(8, 'query', 'completed'));
  await sees(4);
  expect(seen).toEqual([1, 3, 7, 8]);
  expect(gaps).toEqual(['GET /v1/events: removed: 4 to 6']);
});

it('drops what a server sends twice', async () => {
  const one = event(1, 'query', 'running');
  const server = await fakeServer({
    'GET /v1/events': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame(one) + frame(one) + frame(event(2, 'query', 'completed')) + frame(one));
    },
  });
  const { seen, sees } = reader(server);
  await sees(2);
  server.cut();
  await until(() => server.asked.length === 2, 10_000, 'a second connection');
  expect(seen).toEqual([1, 2]);
});

it('asks again when an event says that one before it is missing', async () => {
  const server = await fakeServer();
  const { seen, sees } = reader(server);
  await until(() => server.streams.size === 1, 5_000, 'a stream');
  server.emit(event(1, 'query', 'running'));
  await sees(1);
  server.store(event(2, 'subagent', 'created'));
  server.emit({ ...event(3, 'subagent', 'assigned'), prev_seq: 2 } as never);
  await sees(3);
  expect(seen).toEqual([1, 2, 3]);
});

it('waits for a server that restarts and says so once each way', async () => {
  const server = await fakeServer();
  const { links, sees } = reader(server);
  await until(() => server.streams.size === 1, 5_000, 'a stream');
  const port = Number(new URL(server.url).port);
  server.store(event(1, 'query', 'running'));
  await server.stop();
  await until(() => links.length === 1, 10_000, 'the loss to be noticed');
  await server.restart(port);
  await sees(1);
  expect(links).toEqual(['lost', 'back']);
});

it('gives up on a server that stays away', async () => {
  const server = await fakeServer();
  const { done } = reader(server, { giveUpMs: 500 });
  await until(() => server.streams.size === 1, 5_000, 'a stream');
  await server.stop();
  await expect(done).rejects.toMatchObject({ exit: 3 });
});

it('does not repeat what a server refuses', async () => {
  const server = await fakeServer({
    'GET /v1/events': (_, response) => problem(response, 401, 'unauthorized', 'no key'),
  });
  const { done } = reader(server);
  await expect(done).rejects.toMatchObject({ exit: 4, code: 'unauthorized' });
  expect(server.asked).toHaveLength(1);
});

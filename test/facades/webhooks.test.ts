// Webhooks: told when a run has ended, signed, tried again, and not forgotten when main is killed.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import {
  clientOf,
  say,
  settled,
  startProtocol,
  startReceiver,
  working,
} from './protocol-client.ts';

const ALLOWED = { TROUPE_WEBHOOK_ALLOW: '127.0.0.1' };

describe('the webhook of a run', () => {
  it('is told once for each outcome, also when main is killed in between, and is signed', {
    timeout: 60_000,
  }, async () => {
    // Each is refused at first: it must be tried again.
    const refused = new Set<string>();
    const { url: webhook, told } = await startReceiver((n) => {
      const id = String(told[n]?.headers['webhook-id']);
      if (refused.has(id)) return 200;
      refused.add(id);
      return 503;
    });
    const { server, client } = await startProtocol({ env: ALLOWED });
    const { thread_id } = await client.threads.create();
    const start = (text: string, id = thread_id) =>
      client.runs.create(id, 'planner', { input: say(text), webhook });
    const first = await start('[[delay=1500]] first');
    const second = await start('second');
    const failing = await start('[[fail]] x', (await client.threads.create()).thread_id);
    await working(client, thread_id, first.run_id);
    await server.kill();

    const again = await startProtocol({ folder: server.folder, env: ALLOWED });
    for (const run of [first, second])
      expect((await settled(again.client, thread_id, run.run_id)).status).toBe('success');
    await until(() => told.length >= 6, 20_000, 'every outcome to be taken');

    const secret = readFileSync(join(server.folder, 'webhook-secret'), 'utf8').trim();
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    for (const { headers, text } of told) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      const mac = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${mac}`);
      expect(headers['content-type']).toBe('application/json');
    }
    const ids = told.map(({ headers }) => String(headers['webhook-id'])).sort();
    const once = [
      `run:${first.run_id}:success`,
      `run:${second.run_id}:success`,
      `run:${failing.run_id}:error`,
    ];
    expect(ids).toEqual([...once, ...once].sort());
    expect(told.find(({ body }) => body.run_id === failing.run_id)?.body).toMatchObject({
      status: 'error',
      error: expect.stringContaining('[[fail]]'),
    });
    const last = told.findLast(({ body }) => body.run_id === second.run_id)?.body as {
      values: { messages: { content: string }[] };
    };
    expect(last.values.messages.map(({ content }) => content)).toEqual([
      '[[delay=1500]] first',
      'first',
      'second',
      'second',
    ]);
  });

  it('is refused at once where it would reach this machine or its network', async () => {
    const { server, client } = await startProtocol();
    const { thread_id } = await client.threads.create();
    for (const webhook of [
      'http://127.0.0.1:9/',
      'http://localhost/',
      'http://[::1]/',
      'http://10.0.0.1/',
    ])
      await expect(
        clientOf(server.url).runs.create(thread_id, 'planner', { input: say('x'), webhook }),
      ).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('[facades] webhook_allow'),
      });
  });
});

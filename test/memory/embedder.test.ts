import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openEmbedder } from '../../src/models/embedder.ts';
import { until } from '../support/until.ts';
import { openMemory } from './kit.ts';
import { aProposal, openReviews } from './review-kit.ts';

type Asked = { path: string; auth: string | undefined; model: string; input: string[] };
type Settings = Parameters<typeof openEmbedder>[1];

/** A server of embeddings that knows three subjects by their words, in whatever language. */
async function startEmbeddings() {
  const asked: Asked[] = [];
  let status = 200;
  const subjects = [/dog|강아지|puppy/i, /ship|배송|delivery/i, /paint|colour|색/i];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push({ path: req.url ?? '', auth: req.headers.authorization, model, input });
    res.writeHead(status, { 'content-type': 'application/json' });
    const data = (input as string[]).map((text, index) => ({
      ...{ object: 'embedding', index },
      embedding: [...subjects.map((word) => Number(word.test(text))), 0.1],
    }));
    res.end(JSON.stringify(status === 200 ? { data: data.reverse() } : { error: {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const keyed = { api_key: 'key-1', api_keys: [], base_url };
  const settings = {
    ...{ openai: keyed, openrouter: keyed, anthropic: keyed, prices: {} },
    ollama: { base_url: 'http://127.0.0.1:9', num_ctx: 0, keep_alive: null },
  } as unknown as Settings;
  return {
    asked,
    settings,
    answerWith: (code: number) => {
      status = code;
    },
  };
}

it('finds a record by its meaning, and no more when it has been corrected', async () => {
  const { settings, asked } = await startEmbeddings();
  const embedder = openEmbedder('openai:text-embedding-3-small', settings);
  const kit = await openMemory({ embedder });
  const by = kit.main(await kit.query());
  const pet = await kit.remember(by, 'The user owns a dog');
  await kit.remember(by, 'Orders ship within two days', 'domain');
  expect((await kit.found(by, '강아지')).map((r) => r.content)).toEqual(['The user owns a dog']);
  expect(await kit.found(by, 'quantum physics')).toEqual([]);
  expect(asked[0]).toEqual({
    ...{ path: '/v1/embeddings', auth: 'Bearer key-1', model: 'text-embedding-3-small' },
    input: ['The user owns a dog'],
  });
  const { record_id } = pet;
  const replacement = 'The user owns a parrot';
  const correct = { op: 'correct', call_id: 'c', record_id, replacement, reason: null } as const;
  expect(await kit.agents.memory(by, correct)).toMatchObject({ ok: true });
  expect(await kit.found(by, 'puppy')).toEqual([]);
  expect(kit.database.reader.all('SELECT n FROM memory_vectors')).toHaveLength(2);
});

it('words and meaning together: what both find comes first', async () => {
  const { settings } = await startEmbeddings();
  const kit = await openMemory({ embedder: openEmbedder('openai:e', settings) });
  const by = kit.main(await kit.query());
  await kit.remember(by, 'A puppy needs four meals a day', 'domain');
  await kit.remember(by, 'The dog food is in the blue box', 'domain');
  await kit.remember(by, 'The blue box holds cables', 'domain');
  const found = (await kit.found(by, 'where is the dog food box?')).map((r) => r.content);
  expect(found[0]).toBe('The dog food is in the blue box');
  expect(found).toContain('A puppy needs four meals a day');
});

it('a provider that fails costs a vector, not the record; the next start makes up for it', async () => {
  const { settings, answerWith, asked } = await startEmbeddings();
  answerWith(503);
  const kit = await openMemory({ embedder: openEmbedder('openai:e', settings) });
  const by = kit.main(await kit.query());
  await kit.remember(by, 'The user owns a dog');
  expect(await kit.found(by, 'dog')).toHaveLength(1);
  answerWith(200);
  expect(await kit.found(by, '강아지')).toEqual([]);
  kit.memory.fillVectors();
  await until(
    async () => (await kit.found(by, '강아지')).length === 1,
    5_000,
    'the vector has been made',
  );
  expect(await kit.memory.longTerm.fillVectors(new AbortController().signal)).toBe(0);
  expect(asked.every(({ path }) => path === '/v1/embeddings')).toBe(true);
});

it('what a person has approved is found by its meaning too', async () => {
  const { settings } = await startEmbeddings();
  const kit = await openMemory({ embedder: openEmbedder('openai:e', settings) });
  const query_id = await kit.query();
  const reviews = openReviews(kit);
  const { review_id } = await reviews.open(query_id, [aProposal('a.md', { note: 'A dog barks.' })]);
  await reviews.decide(review_id, { decision: 'approve' });
  kit.memory.fillVectors();
  await until(
    async () => (await kit.found(kit.main(query_id), '강아지')).length === 1,
    5_000,
    'the vector has been made',
  );
});

it('is off unless named, and refuses a provider without embeddings', async () => {
  const { settings } = await startEmbeddings();
  expect(openEmbedder(null, settings)).toBeNull();
  for (const spec of ['anthropic:x', 'echo', 'openai:'])
    expect(() => openEmbedder(spec, settings)).toThrow(/openai, openrouter, ollama/);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announcement, type ChoiceFacts, choose, needsProbe } from '../../src/models/choose.ts';
import {
  isLoopback,
  LOCAL_SERVERS,
  type LocalServer,
  probe,
  probeLocal,
} from '../../src/models/local-servers.ts';

const local = {
  provider: 'ollama',
  label: 'Ollama',
  url: 'http://127.0.0.1:11434',
  models: ['llama3', 'qwen2.5-coder:7b'],
};
const explicit = { model: 'anthropic:claude', from: 'TROUPE_MODEL' };

describe('choose', () => {
  it.each([
    [
      'what was named wins over keys and servers',
      { explicit, keys: ['openai'], local },
      'anthropic:claude',
      'TROUPE_MODEL',
    ],
    [
      'even offline',
      { explicit: { model: 'offline', from: '--model' }, keys: ['openai'], local },
      'offline',
      '--model',
    ],
    [
      'then a known key',
      { explicit: null, keys: ['anthropic', 'openai'], local },
      'openai:gpt-4o-mini',
      'OPENAI_API_KEY',
    ],
    [
      'whichever it is',
      { explicit: null, keys: ['openrouter'], local: null },
      'openrouter:openrouter/auto',
      'OPENROUTER_API_KEY',
    ],
    [
      'then a local server',
      { explicit: null, keys: [], local },
      'ollama:qwen2.5-coder:7b',
      'http://127.0.0.1:11434',
    ],
    [
      'with the model that it has',
      { explicit: null, keys: [], local: { ...local, models: ['llama3'] } },
      'ollama:llama3',
      'Ollama',
    ],
    ['then offline', { explicit: null, keys: [], local: null }, 'offline', 'no key'],
  ] as [string, ChoiceFacts, string, string][])('%s', (_, facts, model, why) => {
    const choice = choose(facts);
    expect(choice.model).toBe(model);
    expect(choice.why).toContain(why);
    expect(announcement(choice)).toContain(why);
  });

  it('says how to get a model when there is none', () => {
    const line = announcement(choose({ explicit: null, keys: [], local: null }));
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_BASE_URL', 'TROUPE_MODEL'])
      expect(line).toContain(name);
  });

  it('asks this machine only when the answer matters', () => {
    expect(needsProbe({ explicit, keys: [] })).toBe(false);
    expect(needsProbe({ explicit: null, keys: ['openai'] })).toBe(false);
    expect(needsProbe({ explicit: null, keys: [] })).toBe(true);
  });
});

describe('probe', () => {
  async function serve(status: number, body: string | null): Promise<string> {
    const server = createServer((_, response) => {
      if (body === null) return; // never answers
      response.writeHead(status, { location: 'http://example.invalid/' }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const [ollama, lmstudio] = LOCAL_SERVERS as [LocalServer, LocalServer];

  it('recognises Ollama and the OpenAI protocol by the shape of their JSON', async () => {
    const tags = await serve(200, '{"models":[{"name":"nomic-embed-text"},{"name":"llama3"}]}');
    expect(await probe(ollama, tags)).toMatchObject({ provider: 'ollama', models: ['llama3'] });
    const list = await serve(200, '{"object":"list","data":[{"id":"phi"}]}');
    expect(await probe(lmstudio, list)).toMatchObject({ provider: 'lmstudio', models: ['phi'] });
  });

  it.each([
    ['a web page', 200, '<html></html>'],
    ['another JSON', 200, '{"data":[{"name":"x"}]}'],
    ['null', 200, 'null'],
    ['an error', 500, '{"data":[{"id":"x"}]}'],
    ['a redirect', 302, '{"data":[{"id":"x"}]}'],
    ['no model', 200, '{"data":[]}'],
    ['only embeddings', 200, '{"data":[{"id":"text-embedding-3"}]}'],
    ['something endless', 200, `{"data":[{"id":"${'x'.repeat(2_000_000)}"}]}`],
  ])('does not take %s for a model server', async (_, status, body) => {
    expect(await probe(lmstudio, await serve(status, body))).toBeNull();
  });

  it('gives up on a port that listens and says nothing, and on one that is closed', async () => {
    expect(await probe(lmstudio, await serve(200, null), 50)).toBeNull();
    expect(await probe(lmstudio, 'http://127.0.0.1:1')).toBeNull();
  });

  it('prefers servers in the order of the table', async () => {
    const url = await serve(200, '{"data":[{"id":"phi"}],"models":[{"name":"llama3"}]}');
    const both = LOCAL_SERVERS.slice(0, 2).map((s) => ({ ...s, baseUrl: () => url }));
    expect((await probeLocal(url, both))?.provider).toBe('ollama');
    expect(await probeLocal(url, [])).toBeNull();
  });

  it('asks only this machine by itself', () => {
    for (const server of LOCAL_SERVERS)
      expect(isLoopback(server.baseUrl('http://127.0.0.1:11434'))).toBe(true);
    expect(isLoopback('http://10.0.0.1:80')).toBe(false);
    expect(isLoopback('http://127.0.0.1.example.com')).toBe(false);
    expect(isLoopback('http://[::1]:80')).toBe(true);
    expect(isLoopback('not an address')).toBe(false);
  });
});

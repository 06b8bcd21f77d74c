import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/openapi-document.ts';
import { questionRow } from './fake-reviews.ts';
import { startWorld, type World } from './world.ts';

type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
  tags: { name: string }[];
};

let document: Document;
let world: World;
beforeAll(async () => {
  document = (await openApiDocument('0.0.0-test')) as Document;
  world = await startWorld();
});
afterAll(() => world.close());
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document', () => {
  it('is the one that the server shows', async () => {
    expect(await (await world.get('/openapi.json')).json()).toEqual(
      JSON.parse(JSON.stringify(document)),
    );
    expect(document.openapi).toBe('3.1.0');
  });
  it('names, tags and explains every route, with its errors', () => {
    const tags = new Set(document.tags.map((t) => t.name));
    const ids = operations().map(({ path, method, operation }) => {
      const where = `${method} ${path}`;
      expect(operation.summary, where).toBeTruthy();
      expect(operation.tags?.length, where).toBeGreaterThan(0);
      for (const tag of operation.tags ?? []) expect(tags, where).toContain(tag);
      const codes = Object.keys(operation.responses);
      expect(
        codes.some((c) => c < '300'),
        where,
      ).toBe(true);
      for (const code of ['400', '401', '403', '421', '500'])
        expect(operation.responses[code]?.content, `${where} ${code}`).toHaveProperty([
          'application/problem+json',
        ]);
      return operation.operationId;
    });
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(30);
  });
  it('declares each parameter of each path, and nothing is left of the router', () => {
    for (const { path, method, operation } of operations()) {
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((m) => m[1]);
      const declared = (operation.parameters ?? []).filter((p) => p.in === 'path');
      expect(declared.map((p) => p.name).sort(), `${method} ${path}`).toEqual(inPath.sort());
      expect(path).not.toMatch(/[*:]/);
    }
  });
  it('points only at schemas that are there', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      (m) => m[1] ?? '',
    );
    expect(refs.length).toBeGreaterThan(50);
    for (const found of new Set(refs)) {
      expect(found).toMatch(/^#\/components\/schemas\//);
      expect(Object.keys(document.components.schemas)).toContain(found.split('/').at(-1));
    }
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Event', 'StreamEvent', 'StreamEnd', 'StreamResync', 'Problem']),
    );
  });
});

describe('what the server answers', () => {
  /** A checker for one answer of the document, its references included. */
  function checker(path: string, method: string, status: number) {
    const answer = document.paths[path]?.[method]?.responses[String(status)];
    const schema = Object.values(answer?.content ?? {})[0]?.schema;
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
    return Compile(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as object);
  }
  it('is what the document says', async () => {
    const task = (await (
      await world.post('/v1/tasks', { subagent_type: 'coder', description: 'x' })
    ).json()) as { task_id: string };
    const query = (await (await world.post('/v1/queries', { input: 'x' })).json()) as {
      query_id: string;
    };
    const agents = (await (await world.get('/v1/subagents')).json()) as {
      data: { agent_id: string }[];
    };
    const review = questionRow();
    world.reviews.set(review.review_id, review);
    const values: Record<string, string> = {
      task_id: task.task_id,
      query_id: query.query_id,
      agent_id: agents.data[0]?.agent_id ?? '',
      role: 'coder',
      name: 'coder',
      record_id: 'mem_0123456789ab',
      review_id: review.review_id,
    };
    let checked = 0;
    for (const { path, method } of operations()) {
      if (method !== 'get' || path.endsWith('{path}') || /zip|metrics|\/ws$/.test(path)) continue;
      const answer = await world.get(path.replace(/\{([^}]+)\}/g, (_, name) => values[name] ?? ''));
      const body = await answer.json();
      const [, errors] = checker(path, method, answer.status).Errors(body);
      expect({ path, status: answer.status, errors }).toEqual({ path, status: 200, errors: [] });
      checked += 1;
    }
    expect(checked).toBeGreaterThan(20);
    const missing = await world.get('/v1/tasks/none');
    const problem = checker('/v1/tasks/{task_id}', 'get', 404);
    expect(problem.Errors(await missing.json())[1]).toEqual([]);
  });
});

describe('/docs', () => {
  it('shows a page that works offline', async () => {
    const page = await world.get('/docs');
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('swagger-ui');
    const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map((m) => m[1] ?? '');
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) {
      expect(asset).not.toMatch(/^https?:/);
      const found = await fetch(new URL(asset, page.url));
      expect(found.status, asset).toBe(200);
      await found.body?.cancel();
    }
    expect(((await (await world.get('/docs/json')).json()) as Document).openapi).toBe('3.1.0');
  });
});

// server.test.mjs of the REST API recipe: node:test against the real server on a free port.
import type { Field, Noun } from '../nouns.ts';

const literal = (value: unknown): string => JSON.stringify(value);
const object = (fields: readonly Field[], which: 0 | 1): string =>
  `{ ${fields.map((f) => `${f.name}: ${literal(f.samples[which])}`).join(', ')} }`;
const wrong = (field: Field): string => (field.type === 'string' ? '42' : "'no'");

const HEAD = (noun: Noun) => `import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer, createStore } from './server.mjs';

const FIRST = ${object(noun.fields, 0)};
const SECOND = ${object(noun.fields, 1)};
let server;
let base;

before(async () => {
  server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = 'http://127.0.0.1:' + server.address().port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function call(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}
`;

const LIFE = (noun: Noun) => {
  const first = noun.fields[0]?.name ?? 'name';
  return `
test('starts with an empty list', async () => {
  assert.deepEqual((await call('GET', '/${noun.plural}')).body, []);
});

test('creates a ${noun.id} and reads it back', async () => {
  const created = await call('POST', '/${noun.plural}', FIRST);
  assert.equal(created.status, 201);
  const read = await call('GET', '/${noun.plural}/' + created.body.id);
  assert.equal(read.status, 200);
  assert.deepEqual({ ...read.body, ...FIRST }, read.body);
  const list = await call('GET', '/${noun.plural}');
  assert.ok(list.body.some((item) => item.id === created.body.id));
});

test('changes one field and keeps the others', async () => {
  const { body } = await call('POST', '/${noun.plural}', FIRST);
  const changed = await call('PATCH', '/${noun.plural}/' + body.id, { ${first}: SECOND.${first} });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, { ...body, ${first}: SECOND.${first} });
});

test('replaces a ${noun.id} as a whole', async () => {
  const { body } = await call('POST', '/${noun.plural}', FIRST);
  const replaced = await call('PUT', '/${noun.plural}/' + body.id, SECOND);
  assert.deepEqual(replaced.body, { ...body, ...SECOND });
});

test('deletes a ${noun.id}', async () => {
  const { body } = await call('POST', '/${noun.plural}', FIRST);
  assert.equal((await call('DELETE', '/${noun.plural}/' + body.id)).status, 204);
  assert.equal((await call('GET', '/${noun.plural}/' + body.id)).status, 404);
});
`;
};

const REFUSALS = (noun: Noun) => {
  const required = noun.fields.filter((f) => f.required).map((f) => f.name);
  const typed = noun.fields
    .map((f) => `    ['${f.name} of the wrong type', { ...FIRST, ${f.name}: ${wrong(f)} }],`)
    .join('\n');
  return `
test('refuses what is wrong, with a reason', async () => {
  const cases = [
    ['no JSON', '{'],
    ['a list', []],
    ['nothing', {}],
    ['an empty ${required[0]}', { ...FIRST, ${required[0]}: ' ' }],
    ['an unknown field', { ...FIRST, nobody: 1 }],
${typed}
  ];
  for (const [name, body] of cases) {
    const answer = await call('POST', '/${noun.plural}', body);
    assert.equal(answer.status, 400, name);
    assert.ok(answer.body.error, name);
  }
});

test('refuses a body that is too large', async () => {
  const { status } = await call('POST', '/${noun.plural}', { ${required[0]}: 'x'.repeat(100_000) });
  assert.equal(status, 413);
});

test('answers 404 for unknown paths and 405 with Allow for unknown methods', async () => {
  assert.equal((await call('GET', '/nothing')).status, 404);
  assert.equal((await call('GET', '/${noun.plural}/999999')).status, 404);
  const refused = await call('DELETE', '/${noun.plural}');
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get('allow'), 'GET, POST');
});

test('keeps the ${noun.plural} in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), '${noun.plural}-'));
  try {
    const file = join(folder, '${noun.plural}.json');
    const { id } = createStore(file).add(FIRST);
    assert.deepEqual({ ...createStore(file).get(id), ...FIRST }, createStore(file).get(id));
    assert.equal(createStore(file).add(SECOND).id, id + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
`;
};

export const testFile = (noun: Noun): string => HEAD(noun) + LIFE(noun) + REFUSALS(noun);

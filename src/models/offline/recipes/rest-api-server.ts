// server.mjs of the REST API recipe: plain Node, no dependencies. The generated code holds no template literals.
import type { Noun } from '../nouns.ts';

const fields = (noun: Noun): string =>
  noun.fields
    .map((f) => {
      const initial = { string: "''", number: 'null', boolean: 'false' }[f.type];
      const rule = f.required ? 'required: true' : `required: false, initial: ${initial}`;
      return `  ${f.name}: { type: '${f.type}', ${rule} },`;
    })
    .join('\n');

const HEAD = (noun: Noun) => `// A REST API for ${noun.plural} with plain Node, no dependencies.
// Start: node server.mjs   Optional: PORT, HOST, DATA_FILE (a JSON file that keeps the ${noun.plural}).
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const FIELDS = {
${fields(noun)}
};
const PATH = /^\\/${noun.plural}(?:\\/(\\d{1,15}))?\\/?$/;
const BODY_LIMIT = 64 * 1024;
const TEXT_LIMIT = 2000;

class HttpError extends Error {
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
`;

const STORE = `
// Keeps everything in memory, and in a JSON file when one is named.
export function createStore(file) {
  let items = new Map();
  let nextId = 1;
  if (file) {
    try {
      const saved = JSON.parse(readFileSync(file, 'utf8'));
      items = new Map(saved.items.map((item) => [item.id, item]));
      nextId = saved.nextId;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  const save = () => {
    if (!file) return;
    writeFileSync(file + '.tmp', JSON.stringify({ nextId, items: [...items.values()] }, null, 2));
    renameSync(file + '.tmp', file);
  };
  return {
    list: () => [...items.values()],
    get: (id) => items.get(id),
    add(values) {
      const item = { id: nextId++, ...values, createdAt: new Date().toISOString() };
      items.set(item.id, item);
      save();
      return item;
    },
    update(id, values) {
      const item = { ...items.get(id), ...values };
      items.set(id, item);
      save();
      return item;
    },
    remove(id) {
      items.delete(id);
      save();
    },
  };
}

function checkField(name, rule, value) {
  if (typeof value !== rule.type) throw new HttpError(400, name + ' must be a ' + rule.type);
  if (rule.type !== 'string') return;
  if (rule.required && value.trim() === '') throw new HttpError(400, name + ' must not be empty');
  if (value.length > TEXT_LIMIT)
    throw new HttpError(400, name + ' must have at most ' + TEXT_LIMIT + ' characters');
}

// With partial, fields that are missing stay as they are; else they get their initial value.
export function validate(body, partial) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpError(400, 'the body must be a JSON object');
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(FIELDS, name));
  if (unknown.length > 0) throw new HttpError(400, 'unknown field: ' + unknown.join(', '));
  const values = {};
  for (const [name, rule] of Object.entries(FIELDS)) {
    if (body[name] !== undefined) {
      checkField(name, rule, body[name]);
      values[name] = body[name];
    } else if (!partial) {
      if (rule.required) throw new HttpError(400, name + ' is required');
      values[name] = rule.initial;
    }
  }
  return values;
}

async function readJson(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= BODY_LIMIT) parts.push(part);
  }
  if (size > BODY_LIMIT) throw new HttpError(413, 'the body has more than ' + BODY_LIMIT + ' bytes');
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new HttpError(400, 'the body is not valid JSON');
  }
}
`;

const ROUTES = (noun: Noun) => `
async function handle(store, request) {
  const match = PATH.exec(new URL(request.url, 'http://localhost').pathname);
  if (!match) throw new HttpError(404, 'not found');
  const { method } = request;
  if (match[1] === undefined) {
    if (method === 'GET') return [200, store.list()];
    if (method === 'POST') return [201, store.add(validate(await readJson(request), false))];
    throw new HttpError(405, 'method not allowed', { allow: 'GET, POST' });
  }
  const id = Number(match[1]);
  if (!store.get(id)) throw new HttpError(404, 'there is no ${noun.id} ' + id);
  if (method === 'GET') return [200, store.get(id)];
  if (method === 'PUT' || method === 'PATCH') {
    const values = validate(await readJson(request), method === 'PATCH');
    return [200, store.update(id, values)];
  }
  if (method === 'DELETE') {
    store.remove(id);
    return [204, undefined];
  }
  throw new HttpError(405, 'method not allowed', { allow: 'GET, PUT, PATCH, DELETE' });
}

export function createServer(store = createStore()) {
  return createHttpServer(async (request, response) => {
    let status;
    let body;
    let headers = {};
    try {
      [status, body] = await handle(store, request);
    } catch (error) {
      status = error.status ?? 500;
      headers = error.headers ?? {};
      body = { error: error.status ? error.message : 'internal error' };
      if (status === 500) console.error(error);
    }
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const isMain =
  process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href;
if (isMain) {
  const port = Number(process.env.PORT ?? 3000);
  const host = process.env.HOST ?? '127.0.0.1';
  const server = createServer(createStore(process.env.DATA_FILE));
  server.listen(port, host, () => {
    console.log('listening on http://' + host + ':' + server.address().port + '/${noun.plural}');
  });
}
`;

export const serverFile = (noun: Noun): string => HEAD(noun) + STORE + ROUTES(noun);

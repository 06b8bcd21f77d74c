// No key of a provider is ever to be seen: not by a child, not in a file, a log, an event, an answer or an error.
// Canary keys, a provider that quotes them back, agents that look for them, and a search through everything.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chunk, json, type Script, stream, upstream } from '../models/support/upstream.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { shellTask, startTroupe } from '../support/troupe-server.ts';

const CANARIES = [
  'sk-canary-openai-1111111111',
  'canary_openai_2222222222',
  'canary/openai+3333333333',
  'sk-ant-canary-4444444444',
  'canary_router_5555555555',
];
const [first, second, third, anthropic, router] = CANARIES as [
  string,
  string,
  string,
  string,
  string,
];

/** Everything under the folder, as raw bytes. */
const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
/** Names of places in which a canary stands. */
const found = (places: Record<string, string>): string[] =>
  Object.entries(places).flatMap(([where, text]) =>
    CANARIES.filter((key) => text.includes(key)).map((key) => `${where}: ${key}`),
  );

it('keys of providers are in no child, file, log, event, answer or error', {
  timeout: 90_000,
}, async () => {
  const quoting: Script = (response, request) => {
    const given = String(request.headers.authorization ?? request.headers['x-api-key'] ?? '');
    const all = `${given} ${CANARIES.join(' ')} ${JSON.stringify(CANARIES)}`;
    const message = `Incorrect API key provided: ${all}`;
    if (request.headers['x-api-key'])
      return json(401, { type: 'error', error: { type: 'authentication_error', message } })(
        response,
        request,
      );
    return json(429, { error: { message } }, { 'retry-after': '600' })(response, request);
  };
  const spoilt = stream([
    chunk({ content: 'half' }),
    { error: { message: CANARIES.join(), code: 401 } },
  ]);
  const provider = await upstream(quoting, quoting, quoting, spoilt, quoting);
  const secrets = tempFolder();
  writeFileSync(join(secrets, 'router'), `${router}\n`);
  const troupe = await startTroupe({
    config: `
[models]
fallback = ["openai:other"]
[models.anthropic]
base_url = "${provider.url}/v1"
[models.openrouter]
base_url = "${provider.url}/v1"
[async_subagents.coder]
model = "openai:gpt-x"
alternate = "none"
[async_subagents.reviewer]
model = "anthropic:claude-x"
alternate = "none"
[async_subagents.planner]
model = "openrouter:any"
alternate = "none"
`,
    env: {
      TROUPE_MODEL: 'echo',
      TROUPE_LOG_LEVEL: 'debug',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: first,
      OPENAI_API_KEYS: `${second},${third}`,
      ANTHROPIC_API_KEY: anthropic,
      OPENROUTER_API_KEY_FILE: join(secrets, 'router'),
    },
  });
  // Agents that look at what they can reach: their own environment, that of every process of this user, main's too.
  const prying =
    'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -a canary';
  const look = await troupe.start('backend', shellTask(prying));
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
    ...{ input: shellTask(prying), review: 'off' },
  });
  const family = (): Record<string, string> =>
    Object.fromEntries(
      troupe.family().flatMap(({ pid }) => {
        try {
          const of = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
          return [[`process ${pid}`, of('environ') + of('cmdline')]];
        } catch {
          return [];
        }
      }),
    );
  const looked = await troupe.ended(look.task_id);
  expect(looked.status).toBe('completed');
  const asked = await troupe.call<{ status: string }>(
    'GET',
    `/v1/queries/${query_id}?wait_ms=30000`,
  );
  expect(asked.status).toBe('completed');
  const seen = JSON.stringify(await troupe.events('&kinds=tool'));
  const failing = await Promise.all(
    ['coder', 'reviewer', 'planner'].map((role) => troupe.start(role, `ask, as ${role}`)),
  );
  const ends = await Promise.all(failing.map((task) => troupe.ended(task.task_id)));
  expect(ends.map((task) => task.status)).toEqual(['failed', 'failed', 'failed']);
  expect(provider.seen.length).toBeGreaterThan(4);
  // The provider got the real ones, from main.
  const sent = JSON.stringify(provider.seen.map((s) => s.headers));
  expect(
    [first, second, third, anthropic, router].filter((key) => sent.includes(key)),
  ).toHaveLength(5);

  const children = family();
  expect(Object.keys(children).length).toBeGreaterThan(1);
  const api: Record<string, string> = {};
  for (const path of [
    '/v1/status',
    '/v1/limits',
    '/v1/tasks',
    '/v1/subagents',
    '/v1/servers',
    '/v1/roles',
    '/v1/queries',
    '/metrics',
    '/readyz',
  ])
    api[path] = JSON.stringify((await troupe.ask('GET', path)).body);
  for (const role of ['backend', 'coder', 'reviewer', 'planner'])
    api[`log of ${role}`] = JSON.stringify(
      (await troupe.ask('GET', `/v1/servers/${role}/log`)).body,
    );
  api.events = JSON.stringify(await troupe.events());
  api.ends = JSON.stringify([ends, looked, asked, seen]);
  expect(api.events).toContain('[key]');
  await troupe.stop();
  const files = Object.fromEntries(
    filesUnder(troupe.folder).map((path) => [path, readFileSync(path, 'latin1')]),
  );
  expect(Object.keys(files).some((path) => path.endsWith('troupe.db'))).toBe(true);
  // They did find them; what they found came no further than the process that read it.
  const database = Object.entries(files).find(([path]) => path.endsWith('troupe.db'))?.[1];
  expect(database).toContain('OPENAI_API_KEY=[secret]');
  expect(found({ ...children, ...api, ...files, output: troupe.output() })).toEqual([]);
});

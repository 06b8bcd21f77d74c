// The web through a real server: the operator's list reaches the role server, and only the researcher has fetch.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTroupe } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { localSite, page } from '../tools/local-site.ts';

type Task = { task_id: string; status: string };
type Events = { data: { kind: string; detail: string; data: unknown }[] };

it('a researcher reads a site that the operator allows; a coder that asks for it is refused', async () => {
  const open = await localSite(page('text/html', '<title>Wiki</title><h1>Hello</h1>'));
  const closed = await localSite(page('text/html', 'SECRET'));
  const folder = tempFolder();
  const config = join(folder, 'config.toml');
  writeFileSync(config, `[sandbox]\nfetch_allow = ["127.0.0.1:${open.port}"]\n`);
  const server = await startTroupe(join(folder, 'data'), { TROUPE_CONFIG: config });
  onTestFinished(async () => void (await server.stop()));
  const told = async (subagent_type: string, url: string): Promise<string> => {
    const description = `[[tool fetch {"url":"${url}"}]] done`;
    const ask = { subagent_type, description };
    const { task_id } = await server.call<Task>('POST', '/v1/tasks', ask);
    const task = await server.call<Task>('GET', `/v1/tasks/${task_id}?wait_ms=30000`);
    expect(task.status).toBe('completed');
    return JSON.stringify(await server.call<Events>('GET', `/v1/tasks/${task_id}/events`));
  };
  expect(await told('researcher', open.url)).toContain(`fetched ${open.url}/ (200, `);
  expect(open.paths).toEqual(['/']);
  expect(await told('researcher', closed.url)).toContain(
    'refused: 127.0.0.1 is a loopback address',
  );
  await told('coder', open.url);
  expect(open.paths).toEqual(['/']);
  expect(closed.connections()).toBe(0);
}, 60_000);

import { realpathSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRunner } from '../../src/agent/runner.ts';
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import { roleTools } from '../../src/tools/index.ts';
import { scriptedHost } from '../agent/scripted-host.ts';
import { newPlace } from '../config/place.ts';
import { envelopeOf } from '../support/envelope.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { localSite, page } from './local-site.ts';

let site: Awaited<ReturnType<typeof localSite>>;
beforeEach(async () => {
  site = await localSite(page('text/html', '<h1>Release 7</h1>'));
});

/** The built-in role calls a tool once, as a model would that made it up or read of it. */
async function calls(role: string, name: string, args: unknown): Promise<string> {
  const host = scriptedHost([{ calls: [[name, args]] }, { text: 'done' }]);
  const runner = createRunner({
    tools: roleTools({ PATH: process.env.PATH }),
    hostFor: () => host.host,
    markers: {},
    cancelDeadlineMs: 5_000,
    log: silentLog,
    clock: systemClock,
  });
  const { tools } = newPlace()
    .load()
    .roles.find((r) => r.name === role) ?? { tools: [] };
  const envelope = envelopeOf({ role, tools: [...tools], workdir: realpathSync(tempFolder()) });
  runner.start({ ...envelope, limits: { ...envelope.limits, fetch_allow: ['127.0.0.1'] } });
  await until(() => host.of('result').length > 0, 10_000, 'the result');
  expect(host.outcome().status).toBe('completed');
  return host.stored().find((m) => m.role === 'tool')?.content ?? '';
}

describe('the tools of a role are enforced whatever a model asks for', () => {
  it('a researcher may fetch', async () => {
    expect(await calls('researcher', 'fetch', { url: site.url })).toContain('# Release 7');
  });
  it.each(['coder', 'reviewer', 'remember', 'planner'])(
    '%s may not: nothing is asked for',
    async (role) => {
      const answer = await calls(role, 'fetch', { url: site.url });
      expect(answer).toMatch(/unknown tool "fetch"; you may use: read, /);
      expect(site.connections()).toBe(0);
    },
  );
  it.each([
    ['remember', 'shell', { command: 'touch made' }],
    ['remember', 'write', { path: 'made', content: '' }],
    ['reviewer', 'edit', { path: 'a', old: 'b', new: 'c' }],
    ['researcher', 'start_async_task', { subagent_type: 'coder', description: 'x' }],
  ])('%s may not call %s', async (role, name, args) => {
    expect(await calls(role, name, args)).toContain(`unknown tool "${name}"`);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let ready = true;
beforeAll(async () => {
  world = await startWorld({
    change({ services }) {
      services.ready = () => ({
        ok: ready,
        checks: {
          store: { ok: ready, critical: true, detail: ready ? 'writable' : 'disk full' },
          agents: { ok: false, critical: false, detail: 'none started' },
        },
      });
    },
  });
});
afterAll(() => world.close());
const body = async (path: string) => (await world.get(path)).json();

describe('health', () => {
  it('is alive', async () => {
    expect(await body('/livez')).toEqual({ status: 'ok' });
    expect(await body('/ok')).toEqual({ ok: true });
    expect((await fetch(`${world.url}/livez`, { method: 'HEAD' })).status).toBe(200);
  });
  it('is ready while nothing critical fails', async () => {
    expect((await world.get('/readyz')).status).toBe(200);
    ready = false;
    for (const path of ['/readyz', '/healthz']) {
      const answer = await world.get(path);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        status: 'not_ready',
        checks: { store: { detail: 'disk full' } },
      });
    }
    expect((await world.get('/livez')).status).toBe(200);
    ready = true;
  });
  it('gives numbers', async () => {
    expect(await body('/v1/status')).toEqual({ version: '0.0.0-test' });
    expect(await body('/v1/limits')).toEqual({ max_subagents: 30 });
  });
});

describe('metrics', () => {
  it('count what happens, with no label but role and status', async () => {
    const { task_id } = world.newTask('coder', 'x');
    world.moveTask(task_id, 'completed');
    const text = await until(
      async () => {
        const now = await (await world.get('/metrics')).text();
        return now.includes('troupe_tasks_total{role="coder",status="completed"} 1') && now;
      },
      5_000,
      'the counter',
    );
    expect(text).toContain('troupe_build_info{version="0.0.0-test"} 1');
    expect(text).toContain('troupe_agent_up{role="coder"} 1');
    expect(text).toMatch(/http_request_duration_seconds_count\{status="200"\} \d+/);
    const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map((m) => m[1]));
    expect([...labels].sort()).toEqual(['le', 'role', 'status', 'version']);
    for (const name of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      expect(name[1]?.endsWith('_total')).toBe(name[2] === 'counter');
  });
});

describe('role servers, roles and subagents', () => {
  it('are listed and handled', async () => {
    expect(await body('/v1/servers')).toMatchObject({
      data: [{ role: 'coder' }],
      next_cursor: null,
    });
    expect(await (await world.post('/v1/servers/coder/start')).json()).toMatchObject({
      state: 'ready',
    });
    expect(await (await world.post('/v1/servers/coder/stop')).json()).toMatchObject({
      data: [{ state: 'draining' }],
    });
    expect((await world.post('/v1/servers/coder/restart')).status).toBe(200);
    expect(await body('/v1/servers/coder/log?lines=2')).toEqual({
      role: 'coder',
      lines: ['line 0', 'line 1'],
    });
    const unknown = await world.post('/v1/servers/cook/start');
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('known roles: coder');
  });
  it('show no secret of a remote role', async () => {
    const one = await body('/v1/roles/coder');
    expect(one).toMatchObject({ name: 'coder', sources: { model: 'default' } });
    expect(JSON.stringify([one, await body('/v1/roles')])).not.toContain('secret-of-a-remote-role');
    expect((await world.get('/v1/roles/cook')).status).toBe(404);
  });
  it('show each attempt', async () => {
    world.newTask('coder', 'x');
    const page = (await body('/v1/subagents')) as { data: { agent_id: string }[] };
    const id = page.data[0]?.agent_id;
    expect(await body(`/v1/subagents/${id}`)).toMatchObject({ agent_id: id, holds_slot: false });
    expect((await world.get('/v1/subagents/sa_none')).status).toBe(404);
  });
});

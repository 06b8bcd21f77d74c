import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromText, type Parsed } from '../../src/config/kind.ts';
import { SETTINGS, type Setting } from '../../src/config/schema.ts';
import { parseCompose } from './compose.ts';

type Service = {
  environment: Record<string, string | null>;
  healthcheck: { test: string[] };
  [key: string]: unknown;
};
const compose = parseCompose(readFileSync('docker-compose.yml', 'utf8')) as unknown as {
  services: { troupe: Service };
  volumes: Record<string, null>;
};
const service = compose.services.troupe;
const dockerfile = readFileSync('Dockerfile', 'utf8');

/** The setting behind an environment variable, or behind the file that holds its secret. */
const settingOf = (name: string): Setting | undefined =>
  (SETTINGS as readonly Setting[]).find(
    ({ env, secret }) => env === name || (secret && `${env}_FILE` === name),
  );
const base = { folder: '/', home: '/' };
const parsed = (name: string, value: string): Parsed => {
  const setting = settingOf(name);
  if (!setting) return { ok: false, found: `no setting ${name}` };
  return name.endsWith('_FILE') ? { ok: true, value } : fromText(setting.type, value, base);
};
const defaultOf = (path: string): number => {
  const row = SETTINGS.find((setting) => setting.path === path);
  if (typeof row?.default !== 'number') throw new Error(`${path} is no number`);
  return row.default;
};

it('sets only variables that the server knows, to values that it takes', () => {
  for (const [name, value] of Object.entries(service.environment)) {
    expect(settingOf(name), name).toBeDefined();
    if (value !== null) expect(parsed(name, value), name).toMatchObject({ ok: true });
  }
  const inImage = [...dockerfile.matchAll(/\b((?:TROUPE|MAX|ASYNC)_[A-Z_]+)=(\S+)/g)];
  expect(inImage.length).toBeGreaterThan(3);
  for (const [, name = '', value = ''] of inImage)
    expect(parsed(name, value), name).toMatchObject({ ok: true });
});

it('publishes the server on loopback only and keeps its data and key in a named volume', () => {
  expect(service.ports).toEqual(['127.0.0.1:8787:8787']);
  expect(service.volumes).toEqual(['troupe-data:/data']);
  expect(Object.keys(compose.volumes)).toEqual(['troupe-data']);
  expect(service.environment.TROUPE_STATE_DIR).toBe('/data');
  expect(service.environment.TROUPE_API_KEY_FILE).toMatch(/^\/data\//);
  expect(service.environment.MAX_SUBAGENTS).toBe('30');
});

it('reaps orphans, restarts after a crash and takes away every right it does not need', () => {
  expect(service).toMatchObject({
    ...{ init: 'true', restart: 'unless-stopped', user: '1000:1000', read_only: 'true' },
    ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], pids_limit: '2048' },
  });
  expect(service.tmpfs).toEqual(['/tmp:size=256m,mode=1777']);
  expect(service.privileged).toBeUndefined();
});

it('gives the server longer to stop than the server itself takes', () => {
  const seconds = Number(/^(\d+)s$/.exec(String(service.stop_grace_period))?.[1]);
  const own = defaultOf('server.shutdown_drain_s') + defaultOf('server.shutdown_kill_s');
  expect(seconds).toBeGreaterThan(own + 10);
});

it('asks for health with nothing but Node', () => {
  const [kind, command, flag, code = ''] = service.healthcheck.test;
  expect([kind, command, flag]).toEqual(['CMD', 'node', '-e']);
  expect(code).toContain('/livez');
  expect(() => new Function(code)).not.toThrow();
});

it('builds an image that runs the built server as an ordinary user', () => {
  const runtime = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  expect(runtime).toMatch(/^USER node$/m);
  expect(runtime).toMatch(/^CMD \["node", "dist\/bin\/server\.js"\]$/m);
  expect(runtime).toMatch(/^HEALTHCHECK .*\\\n\s+CMD \["node", "-e", "fetch\(/m);
  expect(runtime).not.toMatch(/g\+\+|npm ci/);
  expect(dockerfile).toContain('npm prune --omit=dev');
  for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm))
    expect(image).toBe('node:22-bookworm-slim');
});

it('copies only files that the build context holds', () => {
  const kept = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
    .flatMap(([, from = '']) => from.split(' '))
    .filter((path) => path !== '.');
  expect(copied.filter((path) => !kept.includes(path))).toEqual([]);
  expect(kept).toEqual(expect.arrayContaining(['src', 'roles', 'scripts', 'tsconfig.json']));
});

import { expect, test } from 'vitest';
import { formatProblems } from '../../src/config/problem.ts';
import { newPlace } from './place.ts';

test('without any source the defaults hold and are frozen', () => {
  const { config, sources, warnings, file } = newPlace().load();
  expect(config.subagents.max).toBe(30);
  expect(config.server).toMatchObject({ host: '127.0.0.1', port: 8787, api_key: null });
  expect(sources.get('subagents.max')).toBe('default');
  expect(warnings).toEqual([]);
  expect(file).toBeNull();
  expect(() => {
    (config.subagents as { max: number }).max = 99;
  }).toThrow(TypeError);
  expect(() => (config.main.tools as string[]).push('x')).toThrow(TypeError);
});

test('later sources win, key by key, and each value says where it came from', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[subagents]\nmax = 5\nidle_ttl_s = 7\n[server]\nport = 1000\nlog_level = "warn"\n',
  );
  const { config, sources } = place.load({
    env: { MAX_SUBAGENTS: '6', TROUPE_PORT: '2000' },
    flags: { port: 3000 },
  });
  expect(config.subagents).toMatchObject({ max: 6, idle_ttl_s: 7, probe_misses: 3 });
  expect(config.server).toMatchObject({ port: 3000, log_level: 'warn' });
  expect(sources.get('subagents.max')).toBe('env MAX_SUBAGENTS');
  expect(sources.get('subagents.idle_ttl_s')).toBe('config.toml:3');
  expect(sources.get('server.port')).toBe('flag --port');
});

test('the configuration file: flag, variable, current folder, home', () => {
  const place = newPlace();
  const max = (n: number) => `[subagents]\nmax = ${n}\n`;
  place.write('../home/.troupe/config.toml', max(1));
  expect(place.load().config.subagents.max).toBe(1);
  const here = place.write('config.toml', max(2));
  expect(place.load()).toMatchObject({ file: here, config: { subagents: { max: 2 } } });
  place.write('../home/env.toml', max(3));
  const env = { TROUPE_CONFIG: '~/env.toml' };
  expect(place.load({ env }).config.subagents.max).toBe(3);
  place.write('flag.toml', max(4));
  expect(place.load({ env, flags: { config: 'flag.toml' } }).config.subagents.max).toBe(4);
});

test('a named file that is not there is a mistake', () => {
  const place = newPlace();
  expect(place.problems({ flags: { config: 'none.toml' } })).toMatchObject([
    { file: 'none.toml', line: null, key: '--config', found: 'it does not exist' },
  ]);
  expect(place.problems({ env: { TROUPE_CONFIG: '.' } })).toMatchObject([{ key: 'TROUPE_CONFIG' }]);
});

test('five different mistakes in one file are all reported', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    [
      '[subagents]',
      'max = "30"',
      'idle_tll_s = 3',
      '[server]',
      'port = 70000',
      'port = 8080',
      '[servr]',
      'host = "x"',
      '[async_subagents.coder]',
      'tools = ["read", "shel"]',
    ].join('\n'),
  );
  const problems = place.problems();
  const short = problems.map((p) => [p.file, p.line, p.key, p.found, p.did_you_mean]);
  expect(short).toHaveLength(6);
  expect(short).toEqual(
    expect.arrayContaining([
      ['config.toml', 2, 'subagents.max', '"30"', undefined],
      ['config.toml', 3, 'subagents.idle_tll_s', 'an unknown key "idle_tll_s"', '"idle_ttl_s"'],
      ['config.toml', 5, 'server.port', '70000', undefined],
      ['config.toml', 6, 'server.port', 'a second definition (the first is in line 5)', undefined],
      ['config.toml', 7, 'servr', 'an unknown table [servr]', '[server]'],
      ['config.toml', 10, 'async_subagents.coder.tools', 'the unknown tool "shel"', '"shell"'],
    ]),
  );
  expect(problems.find((p) => p.line === 2)?.allowed).toBe('a whole number from 1 to 100');
  const text = formatProblems(problems);
  for (const part of [
    '6 problems',
    'config.toml:3',
    '70000',
    '0 to 65535',
    'did you mean "shell"?',
  ])
    expect(text).toContain(part);
});

test('the error lists each problem with its place', () => {
  const place = newPlace();
  place.write('config.toml', 'port = 1\n');
  expect(() => place.load()).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      errors: [
        {
          path: 'config.toml:1',
          message: expect.stringContaining('did you mean "port" in [server]?'),
        },
      ],
    }),
  );
});

test('mistakes of file, environment and flags come together', () => {
  const place = newPlace();
  place.write('config.toml', '[subagents]\noverflow = "drop"\n');
  const problems = place.problems({
    env: { MAX_ITERATIONS: 'many' },
    flags: { port: '1e3', potr: '1' },
  });
  expect(problems.map((p) => p.key)).toEqual([
    'subagents.overflow',
    'MAX_ITERATIONS',
    '--port',
    '--potr',
  ]);
  expect(problems[3]?.did_you_mean).toBe('port');
});

const ILLEGAL = [
  '30abc',
  '1e9',
  '-1',
  '',
  '3.5',
  ' 4 ',
  '0x10',
  '0',
  '101',
  '+5',
  '007',
  'NaN',
  '１２',
  '9'.repeat(30),
];
test.each(ILLEGAL)('MAX_SUBAGENTS=%j is refused', (value) => {
  expect(newPlace().problems({ env: { MAX_SUBAGENTS: value } })).toEqual([
    {
      file: 'environment',
      line: null,
      key: 'MAX_SUBAGENTS',
      found: JSON.stringify(value),
      allowed: 'a whole number from 1 to 100',
    },
  ]);
});

test.each(['1', '30', '100'])('MAX_SUBAGENTS=%s is taken', (value) => {
  const { config } = newPlace().load({ env: { MAX_SUBAGENTS: value } });
  expect(config.subagents.max).toBe(Number(value));
});

test.each(['30.0', '1e1', '-3', '0', '101', 'true', '"5"', '[5]', '2024-01-01', 'nan'])(
  'max = %s in a file is refused',
  (value) => {
    const place = newPlace();
    place.write('config.toml', `[subagents]\nmax = ${value}\n`);
    expect(place.problems()).toMatchObject([{ line: 2, key: 'subagents.max' }]);
  },
);

test('no limit in seconds can overflow a timer', () => {
  const place = newPlace();
  place.write('config.toml', '[limits]\ntool_timeout_max_s = 3000000000\n');
  expect(place.problems()).toMatchObject([{ key: 'limits.tool_timeout_max_s' }]);
});

test('byte order mark and CRLF are read; an empty file is fine', () => {
  const place = newPlace();
  place.write('config.toml', '\ufeff[subagents]\r\nmax = 4\r\nprobe_misses = 2\r\n');
  const { config, sources } = place.load();
  expect(config.subagents).toMatchObject({ max: 4, probe_misses: 2 });
  expect(sources.get('subagents.probe_misses')).toBe('config.toml:3');
  place.write('config.toml', '');
  expect(place.load().config.subagents.max).toBe(30);
});

test('keys that reach for prototypes are unknown keys and change nothing', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '__proto__ = 1\n[constructor]\nprototype = 2\n[server.__proto__]\nport = 1\n[async_subagents.__proto__]\ndescription = "x"\n[async_subagents.constructor]\ndescription = "x"\n[async_subagents.coder.headers]\n__proto__ = "x"\n',
  );
  expect(place.problems().map((p) => p.key)).toEqual([
    '__proto__',
    'constructor',
    'server.__proto__',
    'async_subagents.__proto__',
    'async_subagents.constructor',
  ]);
  expect(({} as Record<string, unknown>).port).toBeUndefined();
  expect(({} as Record<string, unknown>).description).toBeUndefined();
});

test('a path in a file starts at the file, one in the environment at the current folder', () => {
  const place = newPlace();
  place.write(
    '../home/.troupe/config.toml',
    '[server]\nstate_dir = "state"\nworkspace_roots = ["~/work"]\n',
  );
  const { server } = place.load().config;
  expect(server.state_dir).toBe(`${place.home}/.troupe/state`);
  expect(server.workspace_roots).toEqual([`${place.home}/work`]);
  const env = { TROUPE_STATE_DIR: 'here', TROUPE_WORKSPACE_ROOTS: '/a, b' };
  expect(place.load({ env }).config.server).toMatchObject({
    state_dir: `${place.cwd}/here`,
    workspace_roots: ['/a', `${place.cwd}/b`],
  });
});

test('an address beyond loopback needs a key', () => {
  const place = newPlace();
  const env = { TROUPE_HOST: '0.0.0.0' };
  expect(place.problems({ env })).toMatchObject([
    { key: 'TROUPE_HOST', found: expect.stringContaining('without an API key') },
  ]);
  expect(place.load({ env: { ...env, TROUPE_API_KEY: 'k-123' } }).config.server.host).toBe(
    '0.0.0.0',
  );
});

test('limits that contradict each other are reported where somebody set one', () => {
  const place = newPlace();
  place.write('config.toml', '[limits]\n\ntool_timeout_s = 4000\n');
  expect(place.problems()).toMatchObject([{ line: 3, key: 'limits.tool_timeout_s' }]);
});

test('prices are read whole or refused', () => {
  const place = newPlace();
  place.write('config.toml', '[models.prices]\n"openai:small" = { input = 1, output = 0.6 }\n');
  expect(place.load().config.models.prices).toEqual({ 'openai:small': { input: 1, output: 0.6 } });
  place.write('config.toml', '[models.prices]\n"openai:small" = { input = -1, output = 0.6 }\n');
  expect(place.problems()).toMatchObject([{ line: 1, key: 'models.prices' }]);
});

test('an unknown TROUPE_ variable is a warning with the nearest name', () => {
  const { warnings } = newPlace().load({
    env: { TROUPE_PROT: '1', TROUPE_URL: 'http://x', OTHER: 'y' },
  });
  expect(warnings).toMatchObject([{ key: 'TROUPE_PROT', did_you_mean: 'TROUPE_PORT' }]);
});

test('what fetch may reach is a host, an address or a block, and nothing else', () => {
  const place = newPlace();
  const write = (list: string[]) =>
    place.write('config.toml', `[sandbox]\nfetch_allow = ${JSON.stringify(list)}\n`);
  const good = [
    'wiki',
    'wiki.corp:80',
    '10.0.0.5',
    '10.0.0.5:8080',
    '10.0.0.0/8',
    '::1',
    '[::1]:80',
    'fd00::/8',
  ];
  write(good);
  expect(place.load().config.sandbox.fetch_allow).toEqual(good);
  const bad = ['http://wiki', 'wiki/path', '*'];
  write(bad);
  expect(place.problems().map((p) => p.found)).toEqual(bad.map((text) => `"${text}" in the list`));
});

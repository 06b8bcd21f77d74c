import { expect, test } from 'vitest';
import { showRole } from '../../src/config/describe.ts';
import { ASYNC_TOOLS, TOOL_NAMES } from '../../src/config/tool-names.ts';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { newPlace } from './place.ts';

const role = (loaded: ReturnType<ReturnType<typeof newPlace>['load']>, name: string) => {
  const found = loaded.roles.find((r) => r.name === name);
  if (!found) throw new Error(`no role ${name}`);
  return found;
};

test('without configuration there are exactly the ten roles, complete, in their order', () => {
  const { roles } = newPlace().load();
  expect(roles.map((r) => r.name)).toEqual([...BUILT_IN_ROLES]);
  for (const r of roles) {
    expect(r.description.length).toBeGreaterThan(30);
    expect(r.system_prompt.length).toBeGreaterThan(800);
    expect(r).toMatchObject({
      model: 'default',
      graph_id: r.name,
      url: null,
      transport: 'http',
      host: '127.0.0.1',
    });
    expect(r.tools.length).toBeGreaterThan(0);
    expect(Object.isFrozen(r) && Object.isFrozen(r.tools)).toBe(true);
  }
});

test('who may start whom, and who takes over', () => {
  const loaded = newPlace().load();
  for (const name of [
    'planner',
    'architect',
    'coder',
    'frontend',
    'backend',
    'mobile',
    'debugger',
  ]) {
    expect(role(loaded, name).may_start).toEqual(['researcher', 'reviewer']);
    expect(role(loaded, name).tools).toEqual(expect.arrayContaining([...ASYNC_TOOLS]));
  }
  for (const name of ['researcher', 'reviewer', 'remember']) {
    expect(role(loaded, name).may_start).toEqual([]);
    expect(role(loaded, name).tools).not.toContain('start_async_task');
  }
  expect(Object.fromEntries(loaded.roles.map((r) => [r.name, r.alternate]))).toMatchObject({
    architect: 'planner',
    planner: 'architect',
    coder: 'debugger',
    reviewer: 'coder',
    backend: 'reviewer',
  });
});

test('every role keeps a list of its steps; only the researcher reads the web', () => {
  const place = newPlace();
  const { roles, config } = place.load();
  expect(roles.filter((r) => !r.tools.includes('todo'))).toEqual([]);
  expect(roles.filter((r) => r.tools.includes('fetch')).map((r) => r.name)).toEqual(['researcher']);
  expect(config.main.tools).toContain('todo');
  expect(config.main.tools).not.toContain('fetch');
  place.write('config.toml', '[main]\ntools = ["*", "fetch"]\n');
  expect(place.load().config.main.tools).toContain('fetch');
});

test('a table overrides only the keys that it names', () => {
  const place = newPlace();
  place.write(
    '../home/.deepagents/config.toml',
    '[async_subagents.coder]\nmodel = "ollama:a"\ndescription = "From the other file."\n',
  );
  place.write(
    'config.toml',
    '[async_subagents.coder]\nmodel = "openai:b"\nmax_concurrent_runs = 2\n',
  );
  const loaded = place.load();
  const plain = role(newPlace().load(), 'coder');
  expect(role(loaded, 'coder')).toEqual({
    ...plain,
    model: 'openai:b',
    description: 'From the other file.',
    max_concurrent_runs: 2,
  });
  const from = loaded.roleSources.get('coder');
  expect(from?.model).toBe('config.toml:2');
  expect(from?.description).toMatch(/\.deepagents\/config\.toml:3$/);
  expect(from).toMatchObject({ system_prompt: 'built-in', tools: 'built-in', port: 'default' });
});

test('a new name adds a role after the ten, known to the main agent', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[subagents]\nhost = "127.0.0.2"\n[async_subagents.writer]\ndescription = "Writes manuals."\ngraph_id = "w1"\nmay_start = ["researcher"]\ntools = ["read"]\n',
  );
  const loaded = place.load();
  expect(loaded.roles.map((r) => r.name)).toEqual([...BUILT_IN_ROLES, 'writer']);
  expect(role(loaded, 'writer')).toMatchObject({
    graph_id: 'w1',
    alternate: 'reviewer',
    host: '127.0.0.2',
    tools: ['read', ...ASYNC_TOOLS],
  });
  expect(role(loaded, 'writer').system_prompt).toContain('Writes manuals.');
  expect(loaded.config.main.may_start).toContain('writer');
  expect(loaded.mainPrompt.text(null)).toContain('- `writer`: Writes manuals.');
  expect(loaded.warnings).toEqual([]);
});

test('graph_id defaults to the name, "none" switches the alternate off, "*" means all', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[async_subagents.one]\ndescription = "x"\nalternate = "none"\nmay_start = ["*"]\n[async_subagents.reviewer]\nmay_start = ["coder"]\n',
  );
  const loaded = place.load();
  expect(role(loaded, 'one')).toMatchObject({
    graph_id: 'one',
    alternate: null,
    tools: [...TOOL_NAMES],
  });
  expect(role(loaded, 'one').may_start).toHaveLength(11);
  expect(role(loaded, 'reviewer').tools).toContain('start_async_task');
});

test('mistakes in roles are all named', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    [
      '[async_subagents.codr]',
      'model = "gpt"',
      '[async_subagents.far]',
      'description = "x"',
      'url = "http://h"',
      'port = 9',
      '[async_subagents."two words"]',
      'description = "x"',
      '[async_subagents.main]',
      'model = "echo"',
      '[async_subagents.coder]',
      'may_start = ["reviwer"]',
      'alternate = "coder"',
      'temperature = 1',
      'url = "ftp://x"',
      '[async_subagents.Coder]',
      'description = "x"',
      '[main]',
      'may_start = ["plannr"]',
      'tools = ["Read"]',
    ].join('\n'),
  );
  const found = place
    .problems()
    .map((p) => `${p.line} ${p.key}: ${p.found}${p.did_you_mean ? ` → ${p.did_you_mean}` : ''}`);
  expect(found.sort()).toEqual(
    [
      '1 async_subagents.codr.description: nothing → the role "coder"',
      '2 async_subagents.codr.model: "gpt"',
      '6 async_subagents.far.port: both url and port in the role "far"',
      '7 async_subagents.two words: the role name "two words"',
      '9 async_subagents.main: the role name "main" → [main]',
      '12 async_subagents.coder.may_start: the unknown role "reviwer" → "reviewer"',
      '13 async_subagents.coder.alternate: the role itself',
      '14 async_subagents.coder.temperature: an unknown key "temperature"',
      '15 async_subagents.coder.url: "ftp://x"',
      '16 async_subagents.Coder: "Coder" beside "coder"',
      '19 main.may_start: the unknown role "plannr" → "planner"',
      '20 main.tools: the unknown tool "Read" → "read"',
    ].sort(),
  );
});

test("of another product's file only the role tables count, and unknown keys are warnings", () => {
  const place = newPlace();
  place.write(
    '../home/.deepagents/config.toml',
    '[models]\nsomething = 1\n[async_subagents.analyst]\ndescription = "Reads tables."\ngraph_id = "analyst"\ntransport = "asgi"\nfavourite = true\n',
  );
  const loaded = place.load();
  expect(role(loaded, 'analyst').transport).toBe('inproc');
  expect(loaded.warnings).toMatchObject([{ line: 7, key: 'async_subagents.analyst.favourite' }]);
  place.write('../home/.deepagents/config.toml', '[async_subagents.analyst]\ndescription = 3\n');
  expect(place.problems()).toHaveLength(2);
});

test('two roles cannot have the same fixed port, nor one role several instances on it', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[async_subagents.coder]\nport = 9001\ninstances = 2\n[async_subagents.planner]\nport = 9001\n',
  );
  expect(place.problems().map((p) => [p.line, p.key])).toEqual([
    [5, 'async_subagents.planner.port'],
    [2, 'async_subagents.coder.port'],
  ]);
});

test('what is shown of a role: every field with its source, headers masked', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[async_subagents.far]\ndescription = "x"\nurl = "http://h"\nheaders = { Authorization = "Bearer secret-1" }\n',
  );
  const rows = showRole(place.load(), 'far');
  expect(rows).toContainEqual({
    key: 'headers',
    value: { Authorization: '********' },
    source: 'config.toml:4',
  });
  expect(rows).toContainEqual({ key: 'instances', value: 1, source: 'default' });
  expect(() => showRole(place.load(), 'codr')).toThrow(/unknown role "codr".*did you mean "coder"/);
});

// The settings of models: lists of models, lists of keys, prices, and how roles choose.
import { expect, test } from 'vitest';
import { describeConfig, secretValues } from '../../src/config/describe.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { newPlace } from './place.ts';

test('fallback, tiers and prices are read; a role has its own or those of [models]', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    `[models]
fallback = ["openai:a", "ollama:qwen2.5-coder:7b", "openai:a"]
cheap = "openai:small"
[models.prices]
"openai:a" = { input = 1, output = 2.5 }
"openai:small" = { input = 0.15, output = 0.6, cached_input = 0.075 }
[async_subagents.coder]
fallback = ["default", "offline"]
tier = "strong"
[async_subagents.mobile]
fallback = []
`,
  );
  const { config, roles } = place.load();
  expect(config.models).toMatchObject({
    fallback: ['openai:a', 'ollama:qwen2.5-coder:7b'],
    cheap: 'openai:small',
    strong: null,
    prices: {
      'openai:a': { input: 1, output: 2.5 },
      'openai:small': { input: 0.15, output: 0.6, cached_input: 0.075 },
    },
    ollama: { num_ctx: 16_384, keep_alive: null },
  });
  const of = (name: string) => roles.find((r) => r.name === name);
  expect(of('coder')).toMatchObject({ fallback: ['default', 'offline'], tier: 'strong' });
  expect(of('mobile')).toMatchObject({ fallback: [], tier: null });
  expect(of('planner')).toMatchObject({ fallback: null, tier: 'strong' });
});

test('what is no model, no list, no tier or no price is a mistake that says what is allowed', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    `[models]
fallback = ["openai:a", "gpt-4"]
cheap = "default"
[models.prices]
"openai:a" = { input = 1, output = 2, cached_input = -1 }
[async_subagents.coder]
fallback = "openai:a"
tier = "free"
`,
  );
  expect(place.problems().map((p) => [p.line, p.found, p.allowed])).toEqual([
    [2, '"gpt-4" in the list', 'a list of "provider:model", "echo" or "offline"'],
    [3, '"default"', '"provider:model", "echo" or "offline"'],
    [4, expect.stringContaining('"openai:a"'), expect.stringContaining('cached_input')],
    [7, '"openai:a"', expect.stringContaining('a list of "provider:model"')],
    [8, '"free"', '"cheap", "strong"'],
  ]);
});

test('a list of keys comes from the file, the environment or a file of its own, and is never shown', () => {
  const place = newPlace();
  place.write('config.toml', '[models.openai]\napi_keys = ["sk-hidden-11", "sk-hidden-22"]\n');
  place.write('keys', 'sk-hidden-33\nsk-hidden-44\n');
  const fromFile = place.load();
  expect(fromFile.config.models.openai.api_keys).toEqual(['sk-hidden-11', 'sk-hidden-22']);
  const loaded = place.load({
    env: {
      OPENAI_API_KEYS: 'sk-hidden-55, sk-hidden-66,sk-hidden-55',
      ANTHROPIC_API_KEYS_FILE: 'keys',
      OPENROUTER_API_KEYS: '',
    },
  });
  const { openai, anthropic, openrouter } = loaded.config.models;
  expect(openai.api_keys).toEqual(['sk-hidden-55', 'sk-hidden-66']);
  expect(anthropic.api_keys).toEqual(['sk-hidden-33', 'sk-hidden-44']);
  expect(openrouter.api_keys).toEqual([]);
  const rows = describeConfig(loaded);
  expect(rows.find((r) => r.key === 'models.anthropic.api_keys')).toEqual({
    key: 'models.anthropic.api_keys',
    value: ['********', '********'],
    source: 'env ANTHROPIC_API_KEYS_FILE',
  });
  expect(JSON.stringify(rows)).not.toContain('hidden');
  expect(secretValues(loaded)).toEqual(
    expect.arrayContaining(['sk-hidden-33', 'sk-hidden-44', 'sk-hidden-55', 'sk-hidden-66']),
  );
});

test('a broken list of keys is a mistake that shows none of them', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[models.openai]\napi_keys = "sk-hidden-1"\n[models.anthropic]\napi_keys = ["sk-hidden-2", "sk hidden 3"]\n[models.openrouter]\napi_keys = [7]\n',
  );
  const problems = place.problems();
  expect(problems.map((p) => p.line)).toEqual([2, 4, 6]);
  expect(formatProblems(problems)).toContain('a list, each');
  expect(formatProblems(problems)).not.toContain('hidden-');
  expect(formatProblems(problems)).not.toContain('hidden 3');
});

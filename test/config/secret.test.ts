import { expect, test } from 'vitest';
import { describeConfig, secretValues } from '../../src/config/describe.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { newPlace } from './place.ts';

test('a secret is read from a file, in the environment and in config.toml', () => {
  const place = newPlace();
  place.write('keys/openai', 'sk-from-file\n');
  const env = { OPENAI_API_KEY_FILE: 'keys/openai', OPENROUTER_API_KEY: '' };
  const loaded = place.load({ env });
  expect(loaded.config.models.openai.api_key).toBe('sk-from-file');
  expect(loaded.config.models.openrouter.api_key).toBeNull();
  expect(loaded.sources.get('models.openai.api_key')).toBe('env OPENAI_API_KEY_FILE');
  place.write('keys/config.toml', '[models.openai]\napi_key_file = "openai"\n');
  const flags = { config: 'keys/config.toml' };
  expect(place.load({ flags })).toMatchObject({
    config: { models: { openai: { api_key: 'sk-from-file' } } },
  });
  expect(
    place.load({ flags, env: { OPENAI_API_KEY: 'sk-env' } }).config.models.openai.api_key,
  ).toBe('sk-env');
});

test('both ways at once, a missing file, an empty one and a broken key are mistakes that show no secret', () => {
  const place = newPlace();
  place.write('empty', '\n');
  place.write(
    'config.toml',
    '[models.anthropic]\napi_key = "sk-hidden-1"\napi_key_file = "x"\n[server]\napi_key = "sk hidden 2"\n',
  );
  const problems = place.problems({
    env: {
      OPENAI_API_KEY: 'sk-hidden-3',
      OPENAI_API_KEY_FILE: 'empty',
      OPENROUTER_API_KEY_FILE: 'none',
      ANTHROPIC_API_KEY_FILE: 'empty',
      TROUPE_API_KEY: 'sk-hidden-4\n',
    },
  });
  expect(problems.map((p) => [p.key, p.line])).toEqual([
    ['models.anthropic.api_key', 2],
    ['server.api_key', 5],
    ['TROUPE_API_KEY', null],
    ['OPENAI_API_KEY', null],
    ['OPENROUTER_API_KEY_FILE', null],
    ['ANTHROPIC_API_KEY_FILE', null],
  ]);
  expect(formatProblems(problems)).toContain('it does not exist');
  expect(formatProblems(problems)).not.toMatch(/hidden[- ]\d/);
});

test('a broken line with a secret in it is reported without the secret', () => {
  const place = newPlace();
  place.write('config.toml', '[models.openai]\napi_key = sk-hidden-5\n');
  const problems = place.problems();
  expect(problems).toMatchObject([{ line: 2, key: 'models.openai.api_key' }]);
  expect(formatProblems(problems)).not.toContain('hidden');
});

test('what is shown of the configuration holds source and value of all settings and no secret', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[async_subagents.far]\ndescription = "x"\nurl = "http://h"\n[async_subagents.far.headers]\nAuthorization = "Bearer header-secret"\n',
  );
  const loaded = place.load({
    env: { OPENAI_API_KEY: 'sk-abcdefgh', OPENAI_BASE_URL: 'https://me:password-x@h/v1/' },
  });
  const rows = describeConfig(loaded);
  expect(rows.find((r) => r.key === 'models.openai.api_key')).toEqual({
    key: 'models.openai.api_key',
    value: '********',
    source: 'env OPENAI_API_KEY',
  });
  expect(rows.find((r) => r.key === 'models.anthropic.api_key')?.value).toBeNull();
  expect(rows.find((r) => r.key === 'subagents.max')).toEqual({
    key: 'subagents.max',
    value: 30,
    source: 'default',
  });
  expect(JSON.stringify(rows)).not.toMatch(/abcdefgh|password-x/);
  expect(secretValues(loaded)).toEqual(expect.arrayContaining(['sk-abcdefgh', 'header-secret']));
});

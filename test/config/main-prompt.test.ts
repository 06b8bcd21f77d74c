import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlace, ROOT } from './place.ts';

test('the shipped prompt names all ten roles, has no marks left and ends with the text of [main] prompt', () => {
  const place = newPlace();
  place.write('config.toml', '[main]\nprompt = "Always ask {{role:planner}} first."\n');
  const { mainPrompt: main, roles, warnings } = place.load();
  const mainPrompt = main.text(null);
  for (const r of roles) expect(mainPrompt).toContain(`- \`${r.name}\`: ${r.description}`);
  expect(mainPrompt).not.toContain('{{');
  expect(mainPrompt.endsWith('Always ask `planner` first.')).toBe(true);
  expect(warnings).toEqual([]);
});

test('a role that the prompt names and nobody registered is reported, and one that may not be started', () => {
  const place = newPlace();
  place.write(
    'config.toml',
    '[main]\nmay_start = ["coder"]\nprompt = """\nUse {{role:codr}},\nor subagent_type="tester", or {{role:planner}}."""\n',
  );
  const found = place.load().warnings.map((w) => [w.file, w.line, w.found, w.did_you_mean]);
  expect(found).toEqual([
    ['config.toml', 3, 'the role "codr", which is not registered', '"coder"'],
    ['config.toml', 3, 'the role "planner", which the main agent may not start', undefined],
    ['config.toml', 3, 'the role "tester", which is not registered', undefined],
  ]);
});

test('a registered role that an edited prompt leaves out is reported', () => {
  const place = newPlace();
  const packageRoot = join(place.cwd, 'installed');
  cpSync(join(ROOT, 'roles'), join(packageRoot, 'roles'), { recursive: true });
  writeFileSync(join(packageRoot, 'roles/main/prompt.md'), 'Use {{role:coder}} for everything.');
  const { warnings, mainPrompt } = place.load({ packageRoot });
  expect(warnings).toHaveLength(1);
  // An addition that is made while the server runs is checked together with the prompt that it is added to.
  expect(mainPrompt.problems('And {{role:planner}}.')[0]?.found).toMatch(
    /^no mention of researcher/,
  );
  expect(mainPrompt.problems('And {{role:planner}}.')[0]?.found).not.toContain('planner');
  expect(mainPrompt.problems('Your team:\n{{roles}}')).toEqual([]);
  expect(warnings[0]).toMatchObject({
    file: 'roles/main/prompt.md',
    found: expect.stringContaining('planner'),
  });
  expect(warnings[0]?.found).not.toContain('coder');
});

test('a folder in roles/ adds a role; a missing built-in one is an incomplete installation', () => {
  const place = newPlace();
  const packageRoot = join(place.cwd, 'installed');
  cpSync(join(ROOT, 'roles'), join(packageRoot, 'roles'), { recursive: true });
  place.write('installed/roles/writer/role.toml', 'description = "Writes."\ntools = ["read"]\n');
  place.write('installed/roles/writer/prompt.md', 'You write.\n');
  expect(place.load({ packageRoot }).roles.at(-1)).toMatchObject({
    name: 'writer',
    system_prompt: 'You write.',
    tools: ['read'],
  });
  rmSync(join(packageRoot, 'roles/coder'), { recursive: true });
  expect(place.problems({ packageRoot }).map((p) => p.file)).toContain('roles/coder/role.toml');
});

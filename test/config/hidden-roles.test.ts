import { expect, test } from 'vitest';
import { BUILT_IN_ROLES, WORKFLOW_ROLES } from '../../src/domain/role.ts';
import { newPlace } from './place.ts';

const load = (toml = '') => {
  const place = newPlace();
  if (toml !== '') place.write('config.toml', toml);
  return place.load();
};
const problems = (toml: string) => {
  const place = newPlace();
  place.write('config.toml', toml);
  return place.problems().map((p) => `${p.line} ${p.key}: ${p.found}; ${p.allowed}`);
};

test('the roles of the workflows are there, complete, and hidden', () => {
  const { roles } = load();
  const hidden = roles.filter((r) => r.visible_to !== null);
  expect(hidden.map((r) => r.name)).toEqual([...WORKFLOW_ROLES]);
  for (const r of hidden) {
    expect(r.description.length, r.name).toBeGreaterThan(30);
    expect(r.system_prompt.length, r.name).toBeGreaterThan(1_200);
    expect(r, r.name).toMatchObject({ model: 'default', alternate: null });
  }
});

test('the main agent neither lists nor may start a hidden role, also with "*"', () => {
  for (const toml of ['', '[main]\nmay_start = ["*"]\n']) {
    const { config, mainPrompt } = load(toml);
    expect(config.main.may_start).toEqual([...BUILT_IN_ROLES]);
    for (const name of WORKFLOW_ROLES) expect(mainPrompt).not.toContain(`\`${name}\``);
  }
  const { roles } = load('[async_subagents.coder]\nmay_start = ["*"]\n');
  expect(roles.find((r) => r.name === 'coder')?.may_start).toEqual([...BUILT_IN_ROLES]);
});

test('those that write documents write below .cospec only and have no shell', () => {
  const { roles } = load();
  const bound = roles.filter((r) => r.write_under !== null);
  expect(bound.map((r) => r.name).sort()).toEqual(
    [
      ...['StrictPlan', 'StrictSpec', 'Requirement', 'DesignAgent', 'TaskPlan', 'TaskCheck'],
      ...['TDD', 'TestPrepare'],
    ].sort(),
  );
  for (const r of bound) {
    expect(r.write_under).toBe('.cospec');
    expect(r.tools).not.toContain('shell');
  }
  const explorer = roles.find((r) => r.name === 'QuickExplore');
  for (const tool of ['write', 'edit', 'shell']) expect(explorer?.tools).not.toContain(tool);
});

test('a configuration may open a hidden role to others', () => {
  const { roles, config } = load(
    [
      '[main]\nmay_start = ["*", "QuickExplore", "SubCoding"]',
      '[async_subagents.SubCoding]\nvisible_to = ["main", "StrictPlan", "StrictSpec"]',
      '[async_subagents.planner]\nmay_start = ["QuickExplore"]',
    ].join('\n'),
  );
  expect(config.main.may_start).toEqual([...BUILT_IN_ROLES, 'QuickExplore', 'SubCoding']);
  expect(roles.find((r) => r.name === 'planner')?.may_start).toEqual(['QuickExplore']);
});

test('naming a hidden role where it is not visible is a mistake with its line', () => {
  expect(
    problems(
      '[async_subagents.coder]\nmay_start = ["SubCoding"]\nalternate = "TDD"\n[async_subagents.x]\ndescription = "x"\nvisible_to = ["codr"]\n',
    ),
  ).toEqual([
    expect.stringContaining(
      '2 async_subagents.coder.may_start: the role "SubCoding", which is hidden from coder; roles that are visible to coder; "SubCoding" is visible to StrictPlan, StrictSpec',
    ),
    expect.stringContaining('3 async_subagents.coder.alternate: the unknown role "TDD"'),
    expect.stringContaining('6 async_subagents.x.visible_to: the unknown role "codr"'),
  ]);
});

test('a folder to write under is one below the workdir, and goes with no shell', () => {
  const with_shell = problems(
    '[async_subagents.x]\ndescription = "x"\nwrite_under = "docs"\ntools = ["write", "shell"]\n',
  );
  expect(with_shell).toEqual([expect.stringContaining('3 async_subagents.x.write_under')]);
  for (const path of ['/etc', '..', '../x', '.', 'a/../..'])
    expect(
      problems(
        `[async_subagents.x]\ndescription = "x"\nwrite_under = "${path}"\ntools = ["write"]\n`,
      ),
    ).toEqual([expect.stringContaining('a folder below the workdir')]);
});

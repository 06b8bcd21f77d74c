import { describe, expect, it } from 'vitest';
import { chooseRole } from '../../src/branching/choose-role.ts';
import { type Plan, planBranches, readGate } from '../../src/branching/index.ts';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';

const plan = (parts: string[], over: Partial<Parameters<typeof planBranches>[0]> = {}): Plan =>
  planBranches({
    request: parts.join(' and '),
    parts,
    mode: 'parallel',
    constraints: [],
    workdir: '/srv/q',
    may_start: [...BUILT_IN_ROLES],
    ...over,
  });
const branchesOf = (made: Plan) => {
  if (!made.ok) throw new Error(made.detail);
  return made.branches;
};

describe('a plan', () => {
  it.each([2, 3, 4, 5, 6, 7, 20])(
    'of %i parts loses none and has at most three branches',
    (count) => {
      const parts = Array.from({ length: count }, (_, i) => `fix part ${i}`);
      const branches = branchesOf(plan(parts));
      expect(branches).toHaveLength(Math.min(3, count));
      expect(branches.flatMap((b) => b.parts)).toEqual(parts);
      for (const { siblings, index } of branches)
        expect(siblings).toEqual(branches.filter((b) => b.index !== index).map((b) => b.goal));
    },
  );

  it('tells each branch everything in the language of the request', () => {
    const request = '로그인 버그를 고쳐줘. 그리고 문서를 업데이트해줘. 타입스크립트만 사용해.';
    const { parts, context } = readGate(request);
    const [first, second] = branchesOf(plan(parts, { request, constraints: context }));
    expect(first).toMatchObject({ language: 'ko', workdir: '/srv/q', after: [] });
    for (const text of ['맡은 부분', '로그인 버그를 고쳐줘', '타입스크립트만', '한국어', request])
      expect(first?.description).toContain(text);
    expect(second?.description).toContain('로그인 버그를 고쳐줘');
  });

  it.each([
    ['no role may be started', { may_start: [] }, 'no_role'],
    ['one branch is none', { fan_out: 1 }, 'one_part'],
  ] as const)('%s', (_what, over, reason) => {
    expect(
      plan(['fix a1', 'fix b1'], {
        ...over,
        may_start: [...((over as { may_start?: string[] }).may_start ?? BUILT_IN_ROLES)],
      }),
    ).toMatchObject({ ok: false, reason });
  });
});

describe('a sequence', () => {
  it('becomes an ordered plan: each step waits for the one before, none is merged', () => {
    const { steps, mode } = readGate(
      'First fix the parser, then update the docs and finally publish the package',
    );
    expect(mode).toBe('sequential');
    const branches = branchesOf(plan(steps, { mode: 'sequential', fan_out: 2 }));
    expect(branches.map(({ after }) => after)).toEqual([[], [0], [1]]);
  });
});

describe('parts that name the same files', () => {
  it('wait for each other', () => {
    const branches = branchesOf(
      plan(['Refactor src/a.ts', 'add tests to ./src/a.ts', 'translate docs/b.md']),
    );
    expect(branches.map(({ after }) => after)).toEqual([[], [0], []]);
    expect(branches[1]?.files).toEqual(['src/a.ts']);
  });

  it.each([
    ['a folder and a file in it', 'Rewrite src/api/', 'fix src/api/users.ts'],
    ['a bare name and its path', 'Rewrite users.ts', 'fix src/api/users.ts'],
    ['one reads, one writes', 'Review src/a.ts', 'rewrite src/a.ts'],
    ['without spaces', '重写src/a.ts', '修复 src/a.ts'],
  ])('are not branches when nothing else is there: %s', (_what, ...parts) => {
    expect(plan(parts)).toMatchObject({ ok: false, reason: 'same_files' });
  });

  it.each([
    ['two that only read', 'Review src/a.ts', 'explain src/a.ts'],
    ['other files', 'Rewrite src/a.ts', 'rewrite src/b.ts'],
    ['names that only look alike', 'Rewrite src/a.ts', 'rewrite src/a.tsx'],
    ['a URL and a library', 'Read https://a.io/x.ts in Node.js', 'write x.ts in Node.js'],
  ])('run side by side: %s', (_what, ...parts) => {
    expect(branchesOf(plan(parts)).map(({ after }) => after)).toEqual([[], []]);
  });
});

describe('the role of a part', () => {
  it.each([
    ['Review the payment module', 'reviewer'],
    ['Research electric car subsidies', 'researcher'],
    ['Fix the memory leak in the worker', 'debugger'],
    ['Redesign the landing page', 'frontend'],
    ['Add an endpoint to the API', 'backend'],
    ['Write a haiku about autumn', 'coder'],
    ['로그인 버그를 고쳐줘', 'debugger'],
    ['결제 화면을 번역해줘', 'frontend'],
    ['调查内存泄漏的原因', 'researcher'],
    ['優化資料庫查詢', 'backend'],
  ])('%s: %s', (part, role) => {
    expect(chooseRole(part, BUILT_IN_ROLES)).toBe(role);
  });

  it('is one that may be started', () => {
    expect(chooseRole('Review the payment module', ['researcher', 'coder'])).toBe('coder');
    expect(chooseRole('Review the payment module', ['planner'])).toBe('planner');
    expect(chooseRole('Review the payment module', [])).toBeNull();
  });
});

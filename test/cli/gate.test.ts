import { expect, it } from 'vitest';
import { cli } from './in-process.ts';

const ASK = 'Fix the login bug and update the docs';

it('shows the verdict on a request and its parts, without a server', async () => {
  const { code, out } = await cli(['gate', ...ASK.split(' ')]);
  expect(code).toBe(0);
  expect(out).toMatch(/⚡ open {2}parallel/);
  expect(out).toContain('1. Fix the login bug');
  expect(out).toContain('2. update the docs');
});

it('shows the steps of a sequence', async () => {
  const { out } = await cli(['gate', 'Fix the login bug and then deploy the site']);
  expect(out).toMatch(/closed {2}sequential/);
  expect(out).toContain('2. deploy the site');
});

it('gives the verdict as JSON; a text may begin with a dash', async () => {
  const { code, out } = await cli(['gate', '--json', '- fix login\n- fix signup']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    open: true,
    parts: ['fix login', 'fix signup'],
    reason: 'list',
    mode: 'parallel',
  });
});

it('reads one JSON string a line, answers one line each, and fails at the end for a bad one', async () => {
  const asked = [ASK, '修复登录错误\n并且优化数据库查询', 'Hello', 'a\u2028b'].map((t) =>
    JSON.stringify(t),
  );
  const good = await cli(['gate', '--json', '-'], { stdin: asked.join('\n') });
  expect(good.code).toBe(0);
  const verdicts = good.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(verdicts.map(({ open, parts }) => [open, parts.length])).toEqual([
    [true, 2],
    [true, 2],
    [false, 0],
    [false, 0],
  ]);
  const bad = await cli(['gate', '--json', '-'], {
    stdin: `${asked[0]}\n{not json\n42\n${asked[2]}\n`,
  });
  expect(bad.code).toBe(1);
  const lines = bad.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.error ?? line.open)).toEqual([
    true,
    expect.stringContaining('line 2'),
    expect.stringContaining('line 3'),
    false,
  ]);
});

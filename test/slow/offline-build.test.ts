// Requests that end in something that runs, in three languages: real files, real tools, real `node --test`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LABEL } from '../../src/models/offline/label.ts';
import { NOUNS } from '../../src/models/offline/nouns.ts';
import { drive } from '../models/support/offline-loop.ts';
import { tempFolder } from '../support/temp-folder.ts';

const node = (workdir: string, ...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: workdir, encoding: 'utf8', timeout: 60_000 });

describe.each([
  ['en', 'Build a small todo REST API with tests and write its README', 'Files'],
  ['ko', '할 일 REST API를 만들고 테스트와 README도 작성해줘', '파일'],
  ['zh', '做一个待办事项 REST API，写测试和 README', '文件'],
] as const)('the todo API (%s)', (language, request, files) => {
  it('is planned, built, tested, documented and reviewed by the roles, in the order of what they need', async () => {
    const workdir = tempFolder();
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['planner', 'backend'], ['coder', 'coder'], ['reviewer']]);

    const made = ['PLAN.md', 'README.md', 'server.mjs', 'server.test.mjs'];
    expect(
      readdirSync(workdir)
        .filter((n) => !n.startsWith('.'))
        .sort(),
    ).toEqual(made);
    for (const name of made)
      expect(readFileSync(join(workdir, name), 'utf8')).toContain(LABEL[language]);

    const tests = node(workdir, '--test');
    expect(tests.stdout).toMatch(/fail 0/);
    expect(tests.status).toBe(0);
    expect(readFileSync(join(workdir, 'README.md'), 'utf8')).toContain('curl -X POST http://127');

    expect(trace.answer.startsWith(LABEL[language])).toBe(true);
    expect(trace.answer).toContain(`${files}: `);
    for (const name of made) expect(trace.answer).toContain(`\`${name}\``);
    expect(trace.answer).toMatch(/planner, backend, coder ×2, reviewer/);
    const ran = trace.calls.filter((c) => c.name === 'shell').map((c) => c.args.command);
    expect(ran).toContain('node --test server.test.mjs');
    // the count of passed tests is what the test run said
    expect(trace.answer).toMatch(/[:：] ?9\D+0\D/);
    // the review has findings only when there is something to find
    expect(trace.answer).not.toMatch(/^- /m);
  });
});

describe('what is built', () => {
  it.each(NOUNS.map((n) => [n.id] as const))(
    'a REST API of %s passes its own tests',
    async (noun) => {
      const workdir = tempFolder();
      await drive('coder', `Create a ${noun} REST API with tests`, { workdir });
      const tests = node(workdir, '--test');
      expect(tests.stdout + tests.stderr).toMatch(/fail 0/);
      expect(readFileSync(join(workdir, 'server.mjs'), 'utf8')).toContain(`/${noun}`);
    },
  );

  it.each([
    ['Write a todo command line tool with tests', 'todo.mjs', 'todo.test.mjs'],
    ['메모 명령줄 프로그램을 만들고 테스트도 작성해줘', 'note.mjs', 'note.test.mjs'],
    ['做一个书签命令行工具，并写测试', 'bookmark.mjs', 'bookmark.test.mjs'],
  ])('%s', async (request, program, test) => {
    const workdir = tempFolder();
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['coder'], ['coder'], ['reviewer']]);
    expect(existsSync(join(workdir, program))).toBe(true);
    expect(node(workdir, '--test', test).status).toBe(0);
    expect(node(workdir, program, 'add', 'x').stdout).toBe('1. x\n');
  });

  it.each([
    ['Write a fizzbuzz script in Python', 'fizzbuzz.py', 'FizzBuzz'],
    ['Write hello world in JavaScript', 'hello.mjs', 'Hello, world!'],
    ['피보나치 프로그램을 작성해줘', 'fibonacci.mjs', '4181'],
    ['写一个打印质数的程序', 'primes.mjs', '97'],
    ['Write a bash script that prints hello world', 'hello.sh', 'Hello, world!'],
    ['Write a number guessing game', 'guess.mjs', 'Guess a number'],
  ])('%s', async (request, name, output) => {
    const workdir = tempFolder();
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['coder']]);
    expect(existsSync(join(workdir, name))).toBe(true);
    expect(trace.answer).toContain(output);
    expect(trace.answer).toContain(`\`${name}\``);
  });

  it.each([
    ['Create a landing page for "Fish & Chips"', ['index.html', 'style.css'], 'Fish &amp; Chips'],
    ['Build a todo list web page', ['app.js', 'index.html', 'style.css'], '<form>'],
    ['할 일 웹 페이지를 만들어줘', ['app.js', 'index.html', 'style.css'], '할 일'],
    ['做一个介绍公司的网页', ['index.html', 'style.css'], '<h1>'],
  ])('%s', async (request, files, text) => {
    const workdir = tempFolder();
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['frontend'], ['reviewer']]);
    expect(
      readdirSync(workdir)
        .filter((n) => !n.startsWith('.'))
        .sort(),
    ).toEqual(files);
    const page = readFileSync(join(workdir, 'index.html'), 'utf8');
    expect(page).toContain(text);
    expect(page.toLowerCase().startsWith('<!doctype html>\n<!--')).toBe(true);
  });

  it.each(['Summarise sales.csv', 'sales.csv를 요약해줘', '汇总 sales.csv'])(
    '%s',
    async (request) => {
      const workdir = tempFolder();
      writeFileSync(
        join(workdir, 'sales.csv'),
        'city,amount\n"Seoul, KR",10\nBeijing,\nParis,2.5\n',
      );
      const trace = await drive('main', request, { workdir });
      expect(trace.answer).toContain('3 rows, 2 columns');
      expect(trace.answer).toContain(
        'amount: 2 values, 2 different, 1 empty; min 2.5, max 10, mean 6.25',
      );
    },
  );

  it('never overwrites a file that somebody else made, and says so', async () => {
    const workdir = tempFolder();
    writeFileSync(join(workdir, 'server.mjs'), 'mine\n');
    const trace = await drive('main', 'Build a todo REST API with tests', { workdir });
    expect(readFileSync(join(workdir, 'server.mjs'), 'utf8')).toBe('mine\n');
    expect(trace.answer).toMatch(/server\.mjs exists and was not made by these rules/);
  });

  it('makes its own files anew when it is asked again', async () => {
    const workdir = tempFolder();
    await drive('main', 'Build a todo REST API', { workdir });
    await drive('main', 'Build a note REST API', { workdir });
    expect(readFileSync(join(workdir, 'server.mjs'), 'utf8')).toContain('/notes');
  });
});

// Everyday requests, as people type them: which roles start, which tools are really used, what the answer holds.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { propose } from '../../src/memory/remember/propose.ts';
import { LABEL } from '../../src/models/offline/label.ts';
import { lookAt } from '../../src/queries/look-at.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { localSite, page } from '../tools/local-site.ts';
import { drive } from './support/offline-loop.ts';

let workdir: string;
beforeEach(() => {
  workdir = tempFolder();
  writeFileSync(join(workdir, 'notes.txt'), 'first line\nthe needle is here\n');
  writeFileSync(join(workdir, 'README.md'), '# Shop\n\nHello from the readme.\n');
  mkdirSync(join(workdir, 'src'));
  writeFileSync(join(workdir, 'src', 'app.ts'), 'export const color = "red";\neval("1");\n');
});
const at = (name: string): string => readFileSync(join(workdir, name), 'utf8');

type Expected = {
  /** Roles that start, in waves. */
  waves: string[][];
  /** Tools that are used, in order. */
  tools: string[];
  /** In the answer. */
  says?: string;
  check?: () => void;
};
const file = (name: string, content: string) => () => expect(at(name)).toBe(content);

// biome-ignore format: a table
const TABLE: [request: string, expected: Expected][] = [
  // create
  ['Create hello.txt with "Hello there"', { waves: [['coder']], tools: ['write'], says: '`hello.txt`', check: file('hello.txt', 'Hello there\n') }],
  ['Please make a file docs/a.md containing good morning.', { waves: [['coder']], tools: ['write'], check: file('docs/a.md', 'good morning\n') }],
  ['hello.txt 파일을 만들고 내용은 "안녕하세요"로 해줘', { waves: [['coder']], tools: ['write'], check: file('hello.txt', '안녕하세요\n') }],
  ['创建hello.txt，内容是“你好”', { waves: [['coder']], tools: ['write'], check: file('hello.txt', '你好\n') }],
  ['Create an empty file todo.md', { waves: [['coder']], tools: ['write'], check: file('todo.md', '') }],
  ['Write this to run.py:\n```python\nprint(1)\nprint(2)\n```', { waves: [['coder']], tools: ['write'], check: file('run.py', 'print(1)\nprint(2)\n') }],
  ['Create a folder called assets', { waves: [['coder']], tools: ['shell'], check: () => expect(existsSync(join(workdir, 'assets'))).toBe(true) }],
  ['reports 폴더를 만들어줘', { waves: [['coder']], tools: ['shell'], check: () => expect(existsSync(join(workdir, 'reports'))).toBe(true) }],
  // read
  ['Show me notes.txt', { waves: [['coder']], tools: ['read'], says: 'first line\nthe needle is here' }],
  ['README 읽어줘', { waves: [['coder']], tools: ['read'], says: 'Hello from the readme.' }],
  ['读取 notes.txt', { waves: [['coder']], tools: ['read'], says: 'the needle is here' }],
  ['What is in notes.txt?', { waves: [['coder']], tools: ['read'], says: 'first line' }],
  // change
  ['Append "third line" to notes.txt', { waves: [['coder']], tools: ['shell'], check: file('notes.txt', 'first line\nthe needle is here\nthird line\n') }],
  ['notes.txt에 "끝" 추가해줘', { waves: [['coder']], tools: ['shell'], check: file('notes.txt', 'first line\nthe needle is here\n끝\n') }],
  ['在notes.txt中追加“结束”', { waves: [['coder']], tools: ['shell'], check: file('notes.txt', 'first line\nthe needle is here\n结束\n') }],
  ['Replace "red" with "blue" in src/app.ts', { waves: [['coder']], tools: ['edit'], check: () => expect(at('src/app.ts')).toContain('"blue"') }],
  ['src/app.ts에서 "red"를 "green"으로 바꿔줘', { waves: [['coder']], tools: ['edit'], check: () => expect(at('src/app.ts')).toContain('"green"') }],
  ['Rename notes.txt to memo.txt', { waves: [['coder']], tools: ['shell'], check: () => expect(existsSync(join(workdir, 'memo.txt'))).toBe(true) }],
  ['复制 notes.txt 到 copy.txt', { waves: [['coder']], tools: ['shell'], check: () => expect(at('copy.txt')).toContain('needle') }],
  ['Delete notes.txt', { waves: [['coder']], tools: ['shell'], check: () => expect(existsSync(join(workdir, 'notes.txt'))).toBe(false) }],
  ['Fix the typo "needle" to "noodle" in notes.txt', { waves: [['coder']], tools: ['edit'], check: () => expect(at('notes.txt')).toContain('noodle') }],
  // look
  ['List the files', { waves: [['researcher']], tools: ['list'], says: 'notes.txt' }],
  ['파일 목록 보여줘', { waves: [['researcher']], tools: ['list'], says: 'README.md' }],
  ['列出文件', { waves: [['researcher']], tools: ['list'], says: 'src/' }],
  ['Find all .ts files', { waves: [['researcher']], tools: ['glob'], says: 'src/app.ts' }],
  ['마크다운 파일을 찾아줘', { waves: [['researcher']], tools: ['glob'], says: 'README.md' }],
  ['Search for "needle"', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['"needle"을 검색해줘', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['搜索“needle”', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['How many lines are in notes.txt?', { waves: [['coder']], tools: ['shell'], says: '2' }],
  ['统计 notes.txt 的行数', { waves: [['coder']], tools: ['shell'], says: 'notes.txt' }],
  ['Summarize this project', { waves: [['researcher']], tools: ['glob'], says: '.ts: 1' }],
  ['이 폴더를 요약해줘', { waves: [['researcher']], tools: ['glob'], says: '.md: 1' }],
  ['总结一下这个项目', { waves: [['researcher']], tools: ['glob'], says: 'src/app.ts' }],
  // run
  ['Run `echo $((20+3))`', { waves: [['coder']], tools: ['shell'], says: '23' }],
  ['Run the command: node -p 6*7', { waves: [['coder']], tools: ['shell'], says: '42' }],
  ['`echo 안녕` 명령을 실행해줘', { waves: [['coder']], tools: ['shell'], says: '안녕' }],
  ['运行 `echo 你好`', { waves: [['coder']], tools: ['shell'], says: '你好' }],
  // judge, plan
  ['Review the code', { waves: [['reviewer']], tools: ['glob', 'read', 'read', 'read'], says: 'src/app.ts:2' }],
  ['코드 검토해줘', { waves: [['reviewer']], tools: ['glob', 'read', 'read', 'read'], says: 'eval' }],
  ['Write a plan for the new login page with two-factor codes', { waves: [['planner']], tools: ['list', 'write'], says: '`PLAN.md`', check: () => expect(at('PLAN.md')).toContain('two-factor') }],
  ['결제 시스템을 설계해줘', { waves: [['architect']], tools: ['list', 'write'], check: () => expect(at('ARCHITECTURE.md')).toContain('결제') }],
  // arithmetic needs nobody
  ['What is 12 * (3 + 4)?', { waves: [], tools: [], says: '= 84' }],
  ['2의 10제곱 말고 2^10은 얼마야', { waves: [], tools: [], says: 'TROUPE_MODEL' }],
  ['计算 7/2', { waves: [], tools: [], says: '= 3.5' }],
];

describe('everyday requests', () => {
  it.each(TABLE)('%s', async (request, { waves, tools, says, check }) => {
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual(waves);
    expect(trace.calls.map((c) => c.name)).toEqual(tools);
    expect(Object.values(LABEL).some((label) => trace.answer.startsWith(label))).toBe(true);
    if (says) expect(trace.answer).toContain(says);
    check?.();
  });
});

describe('several things at once', () => {
  it('starts independent ones together and dependent ones after each other', async () => {
    const request = '1. Create a.txt with "one"\n2. Create b.txt with "two"\n3. Read a.txt';
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['coder', 'coder'], ['coder']]);
    expect(trace.answer).toContain('one');
  });
  it('keeps the order that the words ask for', async () => {
    const trace = await drive('main', 'Run `echo a > x.log`, then run `cat x.log`', { workdir });
    expect(trace.waves).toEqual([['coder'], ['coder']]);
  });
  it('builds a list of requests as one thing', async () => {
    const request = '1. Build a note REST API\n2. Write tests\n3. Create hello.txt with "hi"';
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual([['planner', 'backend', 'coder'], ['coder'], ['reviewer']]);
    expect(at('hello.txt')).toBe('hi\n');
  });
  it('names what a recipe leaves undone', async () => {
    const request = 'Build a REST API for cars with login and deploy it';
    const trace = await drive('main', request, { workdir });
    expect(at('server.mjs')).toContain('/cars');
    expect(trace.answer).toMatch(/cannot do it:\n- login\n- deploy/);
  });
  it('does what it can and names what it cannot', async () => {
    const request = 'Create a.txt with "one". Compose a moving poem about autumn.';
    const trace = await drive('main', request, { workdir });
    expect(at('a.txt')).toBe('one\n');
    expect(trace.answer).toContain('- Compose a moving poem about autumn.');
    expect(trace.answer).toContain('OPENAI_API_KEY');
  });
});

describe('what rules cannot do', () => {
  it.each([
    ['Hello', 'en'],
    ['What is the meaning of life?', 'en'],
    ['Translate "good morning" into French', 'en'],
    ['왜 하늘은 파란가요?', 'ko'],
    ['안녕하세요', 'ko'],
    ['天空为什么是蓝色的？', 'zh'],
    // something else in its place would be worse than nothing
    ['Build a Python Flask REST API', 'en'],
    ['Create a React todo list web page', 'en'],
    ['Write a fibonacci program in Rust', 'en'],
    ['Write a poem to poem.txt', 'en'],
    ['create index.html with a heading', 'en'],
    ['Explain how src/app.ts works', 'en'],
    ['Please review PR #12', 'en'],
    ['Delete all files', 'en'],
    ['', 'en'],
  ] as const)('%j is declined with the way to set a model', async (request, language) => {
    const { answer, calls, waves } = await drive('main', request, { workdir });
    expect([calls, waves]).toEqual([[], []]);
    expect(answer.startsWith(LABEL[language])).toBe(true);
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_BASE_URL', 'TROUPE_MODEL'])
      expect(answer).toContain(name);
  });
  it('is declined by a role as well', async () => {
    const { answer } = await drive('coder', 'Make it more beautiful', { workdir });
    expect(answer).toContain('TROUPE_MODEL');
  });
});

describe('a role that is asked directly', () => {
  it.each([
    ['planner', 'Login with passkeys', 'PLAN.md'],
    ['architect', 'A chat service', 'ARCHITECTURE.md'],
    ['mobile', 'Onboarding', 'MOBILE.md'],
  ])('%s writes its document', async (role, task, name) => {
    const { answer } = await drive(role, task, { workdir });
    expect(at(name)).toContain(task);
    expect(answer).toContain(`\`${name}\``);
  });
  it('remember proposes files with notes and the lines behind them, whatever it is told', async () => {
    writeFileSync(join(workdir, 'README.md'), '# Shop\n\nSells things to people who like them.\n');
    const task = 'Propose what to remember. The request was: Build a todo REST API with tests';
    const { answer, calls } = await drive('remember', task, { workdir });
    const { proposals } = await propose({
      ...{ answer, asked: task, workdir, refused: [], lookAt, mask: (text: string) => text },
    });
    const readme = proposals.find(({ path }) => path === 'README.md');
    expect(readme).toMatchObject({ layer: 'project/context' });
    expect(readme?.rationale).toContain('offline rules – no AI model was used');
    expect(readme?.note).toBe('README.md: Shop; Sells things to people who like them.');
    expect(readme?.evidence[0]).toMatchObject({ from: 1, to: 1, quote: '# Shop' });
    expect(calls.map(({ name }) => name)).not.toContain('write');
  });
  it('debugger reports what fails, with the output', async () => {
    writeFileSync(
      join(workdir, 'x.test.mjs'),
      "import { test } from 'node:test';\ntest('adds', () => { throw new Error('is five') });\n",
    );
    const { answer } = await drive('debugger', 'Why do the tests fail?', { workdir });
    expect(answer).toContain('is five');
    expect(answer).toMatch(/0 passed, 1 failed/);
  });
  it('says so when it has not got the tool', async () => {
    const { answer } = await drive('coder', 'Run `echo hi`', { workdir, without: ['shell'] });
    expect(answer).toContain('there is no tool "shell" here');
  });
  it('fetches an address only with the tool for it', async () => {
    const site = await localSite(
      page('text/html', '<h1>Release 7</h1><p>Now with <a href="/b">b</a>.'),
    );
    const request = `Fetch ${site.url}/news`;
    const without = await drive('researcher', request, { workdir, without: ['fetch'] });
    expect(without.answer).toContain('there is no tool "fetch" here');
    const refused = await drive('researcher', request, { workdir });
    expect(refused.answer).toContain('refused: 127.0.0.1 is a loopback address');
    expect(site.paths).toEqual([]);
    const allowed = await drive('researcher', request, { workdir, fetch_allow: ['127.0.0.1'] });
    expect(allowed.answer).toContain('# Release 7');
    expect(allowed.answer).not.toContain('<<<');
    expect(site.paths).toEqual(['/news']);
  });
  it('reports a file that is not there', async () => {
    const { answer } = await drive('coder', 'Read nobody.txt', { workdir });
    expect(answer).toMatch(/did not work: nobody\.txt/);
  });
});

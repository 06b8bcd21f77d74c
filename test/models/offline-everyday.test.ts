// What the offline rules do with everyday requests, and what they leave to a model.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { propose } from '../../src/memory/remember/propose.ts';
import { LABEL } from '../../src/models/offline/label.ts';
import { lookAt } from '../../src/queries/look-at.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { localSite, page } from '../tools/local-site.ts';
import { drive } from './support/offline-loop.ts';
import { OFFLINE_FOLDER, OFFLINE_REQUESTS } from './support/offline-requests.ts';

let workdir: string;
beforeEach(() => {
  workdir = tempFolder();
  mkdirSync(join(workdir, 'app'));
  for (const [name, text] of Object.entries(OFFLINE_FOLDER))
    writeFileSync(join(workdir, name), text);
});
const at = (name: string): string => readFileSync(join(workdir, name), 'utf8');

describe('everyday requests', () => {
  it.each(OFFLINE_REQUESTS)('%s', async (request, expected) => {
    const { waves, tools, says, leaves = {}, holds = {}, there = [], gone = [] } = expected;
    const trace = await drive('main', request, { workdir });
    expect(trace.waves).toEqual(waves);
    expect(trace.calls.map((c) => c.name)).toEqual(tools);
    expect(Object.values(LABEL).some((label) => trace.answer.startsWith(label))).toBe(true);
    if (says) expect(trace.answer).toContain(says);
    for (const [name, text] of Object.entries(leaves)) expect(at(name)).toBe(text);
    for (const [name, part] of Object.entries(holds)) expect(at(name)).toContain(part);
    for (const name of there) expect([name, existsSync(join(workdir, name))]).toEqual([name, true]);
    for (const name of gone) expect([name, existsSync(join(workdir, name))]).toEqual([name, false]);
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
    ['Explain how app/color.ts works', 'en'],
    ['Please review PR #12', 'en'],
    ['Delete all files', 'en'],
    ['', 'en'],
  ] as const)('%j is declined with the way to set a model', async (request, language) => {
    const { answer, calls, waves } = await drive('main', request, { workdir });
    expect([calls, waves]).toEqual([[], []]);
    expect(answer.startsWith(LABEL[language])).toBe(true);
    // Rules do not think, and do not say that they do.
    expect(answer).not.toMatch(
      /\bI (?:think|believe|understand|know)\b|생각합니다|이해했습니다|我认为|我理解/i,
    );
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

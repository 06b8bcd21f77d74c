// A command line program that keeps a list of a noun in a JSON file, with its tests.
import { nounName, pick, type Recipe, type Topic } from '../recipe.ts';
import { reviewPart } from './review-part.ts';

const name = (t: Topic): string => `${t.noun.id}.mjs`;

const program = (t: Topic): string => `#!/usr/bin/env node
// Keeps ${t.noun.plural} in ${t.noun.plural}.json (or the file that DATA_FILE names).
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const FILE = process.env.DATA_FILE ?? '${t.noun.plural}.json';
const USAGE = 'usage: node ${name(t)} add <text> | list | done <number> | remove <number>';

function load() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
function save(items) {
  writeFileSync(FILE + '.tmp', JSON.stringify(items, null, 2));
  renameSync(FILE + '.tmp', FILE);
}
function fail(message) {
  console.error(message);
  process.exit(1);
}
function indexOf(items, text) {
  const index = /^\\d+$/.test(text ?? '') ? Number(text) - 1 : -1;
  if (!items[index]) fail('there is no ${t.noun.id} ' + (text ?? ''));
  return index;
}

const [command, ...rest] = process.argv.slice(2);
const items = load();
if (command === 'add') {
  const text = rest.join(' ').trim();
  if (text === '') fail(USAGE);
  items.push({ text, done: false });
  save(items);
  console.log(items.length + '. ' + text);
} else if (command === 'list') {
  items.forEach((item, i) => console.log(i + 1 + '. [' + (item.done ? 'x' : ' ') + '] ' + item.text));
} else if (command === 'done') {
  items[indexOf(items, rest[0])].done = true;
  save(items);
} else if (command === 'remove') {
  items.splice(indexOf(items, rest[0]), 1);
  save(items);
} else fail(USAGE);
`;

const tests = (t: Topic): string => `import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), '${t.noun.plural}-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const run = (...args) =>
  spawnSync(process.execPath, ['${name(t)}', ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATA_FILE: join(folder, 'data.json') },
  });

test('adds, lists, completes and removes', () => {
  assert.equal(run('list').stdout, '');
  run('add', 'first', 'one');
  run('add', 'second');
  assert.equal(run('list').stdout, '1. [ ] first one\\n2. [ ] second\\n');
  run('done', '2');
  run('remove', '1');
  assert.equal(run('list').stdout, '1. [x] second\\n');
});

test('refuses what is wrong', () => {
  for (const args of [[], ['nothing'], ['add'], ['done', '99'], ['remove', 'x']]) {
    const { status, stderr } = run(...args);
    assert.equal(status, 1);
    assert.notEqual(stderr, '');
  }
});
`;

const readme = (t: Topic): string => `# ${nounName(t)} CLI

\`\`\`sh
node ${name(t)} add "${t.noun.fields[0]?.samples[0]}"
node ${name(t)} list
node ${name(t)} done 1
node ${name(t)} remove 1
\`\`\`

${pick(t, 'The data is in', '데이터 파일:', '数据文件：')} \`${t.noun.plural}.json\` (\`DATA_FILE\`).
`;

const CLI = /\b(?:cli|command[- ]line)\b|명령줄|커맨드\s?라인|命令行/i;
const MAKES =
  /\b(?:build|make|create|write|implement|scaffold|generate)\b|만들|작성|구현|做|写|创建|实现|开发/i;

export const cli: Recipe = {
  id: 'cli',
  match: (request) => (CLI.test(request) && MAKES.test(request) ? '' : null),
  parts: [
    {
      id: 'program',
      role: 'coder',
      after: [],
      when: null,
      task: (t) =>
        pick(
          t,
          `Write ${name(t)}: a command line program that keeps a list (${nounName(t)}).`,
          `${name(t)}를 작성하세요: ${nounName(t)} 목록을 관리하는 명령줄 프로그램.`,
          `编写 ${name(t)}：管理${nounName(t)}列表的命令行程序。`,
        ),
      files: (t) => [{ path: name(t), text: program(t) }],
      check: (t) => `node --check ${name(t)}`,
    },
    {
      id: 'tests',
      role: 'coder',
      after: ['program'],
      when: 'tests',
      task: (t) =>
        pick(
          t,
          `Write ${t.noun.id}.test.mjs with node:test and run it.`,
          `${t.noun.id}.test.mjs를 node:test로 작성하고 실행하세요.`,
          `用 node:test 编写 ${t.noun.id}.test.mjs 并运行。`,
        ),
      files: (t) => [{ path: `${t.noun.id}.test.mjs`, text: tests(t) }],
      check: (t) => `node --test ${t.noun.id}.test.mjs`,
    },
    {
      id: 'readme',
      role: 'coder',
      after: ['program'],
      when: 'readme',
      task: (t) => pick(t, 'Write README.md.', 'README.md를 작성하세요.', '编写 README.md。'),
      files: (t) => [{ path: 'README.md', text: readme(t) }],
      check: () => null,
    },
    reviewPart(['program', 'tests', 'readme']),
  ],
};

// The reviewer: three planted faults are found with file and line, one of them reproduced; nothing is changed.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const SERVER = `import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAdmin } from './auth.mjs';
import { add } from './counter.mjs';

export const fileFor = (root, url) => join(root, decodeURIComponent(url));

export const serve = (root) =>
  createServer(async (request, response) => {
    if (request.url.startsWith('/admin') && !isAdmin(request.headers.token)) {
      response.writeHead(403).end();
      return;
    }
    await add('hits.json');
    response.end(await readFile(fileFor(root, request.url)));
  });
`;
const AUTH = `const TOKEN = process.env.ADMIN_TOKEN;

export function isAdmin(token) {
  return token == TOKEN;
}
`;
const COUNTER = `import { readFile, writeFile } from 'node:fs/promises';

export async function add(path) {
  const { hits } = JSON.parse(await readFile(path, 'utf8'));
  writeFile(path, JSON.stringify({ hits: hits + 1 }));
}
`;
const lineOf = (text: string, part: string): number =>
  text.split('\n').findIndex((line) => line.includes(part)) + 1;
const FAULTS = [
  ['src/server.mjs', SERVER, 'decodeURIComponent(url)'],
  ['src/auth.mjs', AUTH, 'token == TOKEN'],
  ['src/counter.mjs', COUNTER, '  writeFile(path'],
] as const;

const story: Story = {
  input: 'Review the file server in src/ before we put it on the internet.',
  files: {
    'README.md': '# Files\n\nServes the folder public/; /admin only with a token. Counts hits.\n',
    'src/server.mjs': SERVER,
    'src/auth.mjs': AUTH,
    'src/counter.mjs': COUNTER,
    'public/index.html': '<h1>Hello</h1>\n',
    'hits.json': '{"hits":0}\n',
  },
  steps: {
    reviewer: [
      {
        sees: ['Review the file server'],
        calls: [
          ['list', {}],
          ['read', { path: 'README.md' }],
          ['glob', { pattern: 'src/**/*.mjs' }],
        ],
      },
      {
        sees: [
          'README.md\t',
          'src/',
          '/admin only with a token',
          'src/auth.mjs\nsrc/counter.mjs\nsrc/server.mjs',
        ],
        calls: [
          ['read', { path: 'src/server.mjs' }],
          ['read', { path: 'src/auth.mjs' }],
          ['read', { path: 'src/counter.mjs' }],
          ['grep', { pattern: 'isAdmin|add\\(', path: 'src', context: 1 }],
        ],
      },
      {
        sees: [
          '     7\texport const fileFor',
          '     4\t  return token == TOKEN;',
          '     5\t  writeFile(path',
          'src/server.mjs-10-  createServer(async',
          'src/server.mjs:11:    if (request.url',
        ],
        says: 'Two of these can be tried.',
        calls: [
          [
            'shell',
            {
              command: `node --input-type=module -e "import { fileFor } from './src/server.mjs'; console.log(fileFor('public', '/..%2f..%2fetc/passwd'))"`,
            },
          ],
          [
            'shell',
            {
              command: `node --input-type=module -e "import { isAdmin } from './src/auth.mjs'; console.log('admin:', isAdmin(undefined))"`,
            },
          ],
          ['edit', { path: 'src/auth.mjs', old: '==', new: '===' }],
        ],
      },
      {
        sees: [
          '../etc/passwd',
          'admin: true',
          'unknown tool "edit"; you may use: read, write, list',
        ],
        says: [
          '1. critical, `src/server.mjs:7`, reproduced: `fileFor` joins a decoded `..`; every file of the machine is served. Fix: refuse a path that leaves the root.',
          '2. critical, `src/auth.mjs:4`, reproduced: without ADMIN_TOKEN a request without a token is admin, because undefined == undefined. Fix: refuse when TOKEN is not set, compare with timingSafeEqual.',
          '3. high, `src/counter.mjs:5`, by reading: the write is not awaited, so hits are lost when two requests meet and an error ends the process. Fix: await it, one at a time.',
          'Missing tests: a path with ..; no token set; two hits at once.',
          'Verdict: not ready.',
        ].join('\n'),
      },
    ],
  },
};

it('finds the three planted faults with file and line, worst first, and changes nothing', async () => {
  const { result, files, offered } = await tell(story);
  for (const [path, text, part] of FAULTS)
    expect(result).toContain(`\`${path}:${lineOf(text, part)}\``);
  expect(result.indexOf('critical')).toBeLessThan(result.indexOf('high'));
  expect(files()).toEqual(story.files);
  expect(offered('reviewer')).not.toContain('edit');
}, 60_000);

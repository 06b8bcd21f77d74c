// The requests of the README, in their order, as a newcomer sends them. On the built product, without a key.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeOf, curlOf } from '../house/pages.ts';
import { startTroupe } from '../support/troupe-server.ts';

it('the requests of the README work in their order', async () => {
  const troupe = await startTroupe({ env: { TROUPE_MODEL: 'offline' } });
  const page = { name: 'README.md', text: readFileSync('README.md', 'utf8') };
  const requests = codeOf(page).flatMap((line) => curlOf(line) ?? []);
  const answers: string[] = [];
  let query_id = '';
  for (const { method, url, headers, body } of requests) {
    const to = url.replace('http://127.0.0.1:8787', troupe.url).replace('$QUERY', query_id);
    const answer = await fetch(to, { method, headers, ...(body ? { body } : {}) });
    const text = await answer.text();
    expect(answer.ok, `${method} ${to}: ${text}`).toBe(true);
    if (method === 'POST') ({ query_id } = JSON.parse(text));
    answers.push(text);
  }
  const [, events = '', result = '', archive = ''] = answers;
  expect(events).toContain('event: subagent');
  expect(events).toMatch(/event: end\ndata: .*"status":"completed"/);
  expect(JSON.parse(result)).toMatchObject({
    status: 'completed',
    answer: expect.stringContaining('server.mjs'),
  });
  expect(archive.slice(0, 2)).toBe('PK');
});

it('the command line is a program, as npx starts it', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const said = execFileSync('dist/bin/cli.js', ['--version'], { encoding: 'utf8' });
  expect(said.trim()).toBe(version);
});

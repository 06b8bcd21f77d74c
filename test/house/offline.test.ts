import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withRequests } from '../../scripts/offline-table.ts';
import { OFFLINE_REQUESTS } from '../models/support/offline-requests.ts';

const page = readFileSync('docs/offline.md', 'utf8');

it('docs/offline.md lists the requests that the tests run', async () => {
  expect(await withRequests(page)).toBe(page);
});

it('there are at least forty of them, in each of the three languages at least ten', () => {
  const requests = OFFLINE_REQUESTS.map(([request]) => request);
  expect(new Set(requests).size).toBeGreaterThanOrEqual(40);
  const ko = requests.filter((text) => /\p{Script=Hangul}/u.test(text));
  const zh = requests.filter((text) => !ko.includes(text) && /\p{Script=Han}/u.test(text));
  for (const some of [ko, zh, requests.filter((text) => /^[\p{ASCII}]+$/u.test(text))])
    expect(some.length).toBeGreaterThanOrEqual(10);
});

// What a browser has to fetch before it shows the first view.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';

const MOST = 60_000;

it('the first load is under 60 kB', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(troupe.url);
  await page.getByRole('heading', { name: 'No queries yet' }).waitFor();
  const sizes = await page.evaluate(() =>
    [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ].map((entry) => {
      const { name, encodedBodySize } = entry as PerformanceResourceTiming;
      return { name, bytes: encodedBodySize };
    }),
  );
  const files = sizes.filter(({ name }) => !/\/v1\//.test(name));
  expect(files.some(({ name }) => /\.js$/.test(name))).toBe(true);
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(MOST);
});

// The server dies under the page and comes back: the page says so, goes on where it was, and has missed nothing.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';

it('a server that is killed and started again is found again, with all that happened meanwhile', async () => {
  const first = await startTroupe();
  const { page } = await openPage(first.url);
  await page.getByRole('button', { name: 'Live' }).waitFor();
  await first.call('POST', '/v1/queries', { input: 'before' });
  await page.getByText('before').waitFor();
  await first.kill();
  await page.getByRole('button', { name: /Reconnecting|Offline/ }).waitFor();
  expect(await page.locator('.app.stale').count()).toBe(1);
  const second = await startTroupe({
    env: { TROUPE_PORT: new URL(first.url).port },
    folder: first.folder,
  });
  await second.call('POST', '/v1/queries', { input: 'meanwhile' });
  await page.getByRole('button', { name: 'Live' }).waitFor();
  await page.getByText('meanwhile').waitFor();
  expect(await page.locator('.app.stale').count()).toBe(0);
});

// A request that the server splits by itself, seen on the page as it happens: ⚡, the parts, and the score explained.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';

const ROUND = '[[tool list {}]] [[tool glob {"pattern":"*"}]]';

it('a branch decision is seen at once, with its parts and its score', async () => {
  const troupe = await startTroupe();
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
    ...{ input: `Fix the login bug and update the README.\n\n${ROUND}`, review: 'off' },
  });
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  await page.getByText('⚡ branched into 2').click();
  await page.locator('.parts').getByText('Fix the login bug').waitFor();
  await page
    .getByRole('row', { name: /tool_diversity/ })
    .first()
    .waitFor();
  expect(await page.getByText(/ratio: 0\.\d+ of 0\.30, enough/).count()).toBe(1);
  await page.getByRole('row', { name: /debugger agent #1/ }).waitFor();
  await page.getByRole('row', { name: /coder agent #1/ }).waitFor();
});

// The list of queries in a real browser: the form that starts one, groups, filters in the address, the empty state.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

it('an empty list says how to begin, with the exact curl of this host', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(troupe.url);
  await page.getByRole('heading', { name: 'No queries yet' }).waitFor();
  const curl = await page.getByRole('region', { name: 'The same by curl' }).textContent();
  expect(curl).toContain(`curl -X POST ${troupe.url}/v1/queries`);
});

it('a query is started by the form, is followed live, and stands under Finished', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(troupe.url);
  await page.getByLabel('Ask the main agent').fill('[[delay=1500]] say hello');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('treegrid').getByText('main agent').waitFor();
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  await page.keyboard.press('Escape');
  const finished = page.getByRole('region', { name: 'Finished' });
  await finished.getByText('say hello').waitFor();
  expect(await finished.getByText('completed').count()).toBe(1);
});

it('filters live in the address: a reload shows the same', async () => {
  const troupe = await startTroupe();
  for (const input of ['alpha one', 'beta two'])
    await troupe.call('POST', '/v1/queries', { input });
  const { page } = await openPage(troupe.url);
  await page.getByText('beta two').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('alpha');
  await until(async () => (await page.getByText('beta two').count()) === 0, 5_000, 'beta is gone');
  expect(page.url()).toContain('text=alpha');
  await page.reload();
  await page.getByText('alpha one').waitFor();
  expect(await page.getByText('beta two').count()).toBe(0);
});

it('agents at work stand under their query with what they do, and cancel stops them', async () => {
  const troupe = await startTroupe();
  const { task_id } = await troupe.start('coder', '[[delay=60000]] a long one');
  const { page } = await openPage(troupe.url);
  const row = page.getByRole('link', { name: /coder agent #1/ });
  await row.getByText('running').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await until(async () => (await troupe.task(task_id)).status === 'cancelled', 10_000, 'cancelled');
  await page.getByRole('region', { name: 'Finished' }).getByText('cancelled').waitFor();
});

// The process table, memory and settings in a real browser.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

it('a role server is started, read and stopped from the table; a crash shows its end', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(`${troupe.url}/#/servers`);
  await page.getByRole('heading', { name: 'No role server is alive' }).waitFor();
  const asleep = page.getByRole('region', { name: 'Not started' });
  await asleep.getByRole('listitem').filter({ hasText: 'coder' }).getByRole('button').click();
  const row = page.getByRole('row', { name: /coder/ }).first();
  await row.getByText('ready').waitFor();
  const [server] = await troupe.servers();
  expect(await row.textContent()).toContain(String(server?.pid));
  await row.getByRole('button', { name: 'Log' }).click();
  await page.getByRole('region', { name: 'Log of coder' }).waitFor();
  process.kill(server?.pid as number, 'SIGKILL');
  await page.getByText(/Last exit: .*SIGKILL/).waitFor();
});

it('memory is searched, corrected, and shows its history', async () => {
  const troupe = await startTroupe();
  const given = { content: 'The user likes tabs.', layer: 'user/profile', tags: ['style'] };
  await troupe.call('POST', '/v1/memory', given);
  const { page } = await openPage(`${troupe.url}/#/memory`);
  await page.getByText('The user likes tabs.').waitFor();
  await page.getByRole('button', { name: 'Correct' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is true instead').fill('The user likes spaces.');
  await dialog.getByRole('button', { name: 'Correct' }).click();
  await page.getByText('The user likes spaces.').first().waitFor();
  await page.getByLabel('Search memory').fill('spaces');
  await until(async () => (await page.getByText('likes tabs').count()) === 0, 5_000, 'old is gone');
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('dialog', { name: 'History' }).getByText('likes tabs').waitFor();
});

it('every setting is there with its source, and no secret with its value', async () => {
  const troupe = await startTroupe({ env: { OPENAI_API_KEY: 'sk-very-secret-key' } });
  const { page } = await openPage(`${troupe.url}/#/settings`);
  await page.getByLabel('Search settings').fill('openai.api_key');
  const row = page.getByRole('row', { name: /models\.openai\.api_key / });
  await row.getByText('env OPENAI_API_KEY').waitFor();
  expect(await page.content()).not.toContain('sk-very-secret-key');
});

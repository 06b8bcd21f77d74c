// What the remember role proposes, decided on the page: one edited and approved, one rejected; a prompt of one's own.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Status = { status: string; query_id: string };
const REQUEST = 'Build a small todo REST API with tests and write its README';

it('proposals are edited and approved, or rejected, and only what was approved is remembered', async () => {
  const troupe = await startTroupe({ env: { TROUPE_MODEL: 'offline' } });
  const { query_id } = await troupe.call<Status>('POST', '/v1/queries', {
    ...{ input: REQUEST, review: 'wait' },
  });
  const { page } = await openPage(`${troupe.url}/#/inbox`);
  await page.getByText(/Remember (this file|these \d+ files)\?/).waitFor({ timeout: 60_000 });
  const waiting = await troupe.call<Status>('GET', `/v1/queries/${query_id}`);
  expect(waiting.status).toBe('waiting');
  const proposals = page.locator('.proposal');
  const count = await proposals.count();
  const first = proposals.first();
  await first.getByLabel('Note').fill('The API keeps its data in one JSON file.');
  await first.getByLabel('Layer').selectOption('domain/knowledge');
  for (let n = 1; n < count; n += 1) await proposals.nth(n).getByRole('checkbox').uncheck();
  await page.getByRole('button', { name: 'Edit & approve 1' }).click();
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await until(
    async () =>
      (await troupe.call<Status>('GET', `/v1/queries/${query_id}`)).status === 'completed',
    30_000,
    'the query is done',
  );
  const { data } = await troupe.call<{ data: { content: string; layer: string }[] }>(
    'GET',
    '/v1/memory',
  );
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ layer: 'domain/knowledge' });
  expect(data[0]?.content).toContain('one JSON file');
}, 120_000);

it('a prompt is changed with its difference in sight, and goes back to the default', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(`${troupe.url}/#/roles/coder`);
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('Write code. Say nothing.');
  await page
    .getByRole('region', { name: 'Difference to the default' })
    .getByText('+ Write code. Say nothing.')
    .waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  const saved = () => troupe.call<{ override: string | null }>('GET', '/v1/roles/coder/prompt');
  await until(async () => (await saved()).override !== null, 5_000, 'it is saved');
  await page.reload();
  expect(await prompt.inputValue()).toBe('Write code. Say nothing.');
  await page.getByRole('button', { name: 'Back to the default' }).click();
  await until(async () => (await saved()).override === null, 5_000, 'it is reset');
});

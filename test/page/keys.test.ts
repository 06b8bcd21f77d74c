// The page without a mouse, and in the language of the browser.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

it('rows are walked with j and k, opened with Enter, left with Escape; ? shows the keys', async () => {
  const troupe = await startTroupe();
  for (const input of ['one', 'two']) await troupe.call('POST', '/v1/queries', { input });
  const { page } = await openPage(troupe.url);
  await page.getByText('one', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  expect(await focused()).toBe('one');
  await page.keyboard.press('k');
  expect(await focused()).toBe('two');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await until(async () => (await page.getByRole('dialog').count()) === 0, 5_000, 'closed');
});

it('in the timeline arrows pick agents, and c asks before it cancels', async () => {
  const troupe = await startTroupe();
  const start = `[[tool start_async_task ${JSON.stringify({ subagent_type: 'coder', description: '[[delay=60000]] x' })}]] y`;
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
    input: start,
  });
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  await page.getByRole('row', { name: /coder agent #1/ }).waitFor();
  await page.getByRole('treegrid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('complementary').getByText('coder agent #1').waitFor();
  await page.keyboard.press('Escape');
  await until(async () => (await page.getByRole('complementary').count()) === 0, 5_000, 'closed');
  await page.keyboard.press('c');
  await page.getByRole('dialog', { name: /Cancel the query/ }).waitFor();
});

it('status words are in the language of the browser', async () => {
  const troupe = await startTroupe();
  await troupe.call('POST', '/v1/queries', { input: 'hello' });
  const korean = await openPage(troupe.url, { locale: 'ko-KR' });
  await korean.page.locator('.query-row').getByText('완료').waitFor();
  const chinese = await openPage(troupe.url, { locale: 'zh-CN' });
  await chinese.page.locator('.query-row').getByText('已完成').waitFor();
});

// Text of models, tools and files is data: it shows as text, and nothing of it runs, loads or leads away.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe } from '../support/troupe-server.ts';

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src="http://127.0.0.1:9/pixel.png" onerror="window.hacked = 2">',
  '![picture](http://127.0.0.1:9/leak.png?data=secret)',
  '[click](javascript:window.hacked=3)',
  '<a href="data:text/html,<script>window.hacked=4</script>">data</a>',
  '<iframe src="http://127.0.0.1:9/"></iframe><svg onload="window.hacked=5"></svg>',
  '<style>body{display:none}</style><form action="http://127.0.0.1:9/"><input></form>',
  'right\u202eot\u202c left, \u001b[31mred\u001b[0m, zero\u200bwidth',
].join('\n\n');

it('markup, links, pictures, control and bidi characters of an answer do nothing', async () => {
  const troupe = await startTroupe();
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', {
    input: HOSTILE,
  });
  const { page, context } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  const elsewhere: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(troupe.url) && !request.url().startsWith('blob:'))
      elsewhere.push(request.url());
  });
  const answer = page.locator('.answer');
  await answer.waitFor();
  for (const name of ['Output', 'Result', 'Raw', 'Task']) {
    await page.getByRole('row', { name: /main agent/ }).click();
    const tab = page.getByRole('tab', { name });
    await tab.click();
    await page.getByRole('button', { name: 'Close' }).click();
  }
  expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
  const found = await answer.evaluate((node) => ({
    bad: node.querySelectorAll('script,img,iframe,svg,style,form,input,object,embed').length,
    links: [...node.querySelectorAll('a')].map((a) => a.getAttribute('href')),
    text: node.textContent ?? '',
  }));
  expect(found.bad).toBe(0);
  expect(found.links.filter((href) => href !== null)).toEqual([]);
  expect(found.text).toContain('\\u202e');
  expect(found.text).toContain('\\u001b[31m');
  expect(await page.locator('body').isVisible()).toBe(true);
  expect(elsewhere).toEqual([]);
});

it('a line of a megabyte does not widen the page', async () => {
  const troupe = await startTroupe({
    config: '[limits]\nbody_limit = 4000000\ndescription_limit = 1000000\n',
  });
  const task = await troupe.start('coder', 'x'.repeat(900_000));
  await troupe.ended(task.task_id);
  const { page } = await openPage(`${troupe.url}/#/queries/${task.query_id}?node=${task.task_id}`);
  await page.getByRole('tab', { name: 'Result' }).click();
  await page.locator('.tab-body .plain').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
});

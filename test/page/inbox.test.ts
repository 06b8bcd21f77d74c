// The inbox in a real browser: questions of nested agents, answered here, and decisions that somebody else made first.
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

const ASKS = `[[tool ask_user ${JSON.stringify({ question: 'Which database?', options: ['PostgreSQL', 'SQLite'] })}]] thanks`;
type Review = { review_id: string; request: { question: string } };

const startAsking = (troupe: Troupe) =>
  troupe.call<{ task_id: string; query_id: string }>('POST', '/v1/tasks', {
    ...{ subagent_type: 'architect', description: ASKS, review: 'wait' },
  });

it('a question shows with its path and a count, and the answer resumes the agent', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(`${troupe.url}/#/inbox`);
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  const task = await startAsking(troupe);
  await page.getByText('Which database?', { exact: true }).waitFor();
  await page.getByRole('link', { name: /architect agent #1/ }).waitFor();
  expect(await page.title()).toBe('(1) Inbox · Troupe');
  await page.getByRole('button', { name: 'SQLite' }).click();
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  const ended = await troupe.ended(task.task_id);
  expect(ended.status).toBe('completed');
  expect(await page.title()).toBe('Inbox · Troupe');
});

it('an answer in own words; a query that waits stands under Needs you', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(troupe.url);
  const task = await startAsking(troupe);
  await page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').first().waitFor();
  await page.getByRole('link', { name: /Inbox/ }).click();
  await page.getByLabel('Or in your own words').fill('DuckDB');
  await page.getByRole('button', { name: 'Answer' }).click();
  await troupe.ended(task.task_id);
  const { data } = await troupe.call<{ data: { decision: { answer: string } }[] }>(
    'GET',
    '/v1/reviews?status=decided',
  );
  expect(data[0]?.decision.answer).toBe('DuckDB');
});

it('what was decided elsewhere is told kindly', async () => {
  const troupe = await startTroupe();
  const { page } = await openPage(`${troupe.url}/#/inbox`);
  await startAsking(troupe);
  await page.getByText('Which database?', { exact: true }).waitFor();
  const { data } = await troupe.call<{ data: Review[] }>('GET', '/v1/reviews?status=pending');
  // The page has not heard of it when the hand is already on its way.
  await page.route('**/v1/reviews/*', async (route) => {
    await troupe.call('POST', `/v1/reviews/${data[0]?.review_id}`, { option: 1 });
    await route.continue();
  });
  await page.getByRole('button', { name: 'SQLite' }).click();
  await page.getByText(/Somebody else had decided that already/).waitFor();
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
});

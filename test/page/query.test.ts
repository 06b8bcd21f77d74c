// One query in a real browser: the tree-timeline with nested tasks, and the panel of the agent that is picked.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { shellTask, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

/** An echo request that starts a planner, which starts a reviewer. */
const inner = (description: string): string =>
  `[[tool start_async_task ${JSON.stringify({ subagent_type: 'reviewer', description })}]] outer`;
const nested = (description: string): string =>
  `[[tool start_async_task ${JSON.stringify({ subagent_type: 'planner', description: inner(description) })}]] all done`;

async function ask(troupe: Troupe, input: string): Promise<string> {
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', { input });
  return query_id;
}

/** Notes when a text first stands in the document; by the clock that the server has as well. */
function watchFor(text: string): void {
  const look = (): void => {
    if (!document.body?.textContent?.includes(text)) return;
    Object.assign(window, { seenAt: Date.now() });
    observer.disconnect();
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
}

it('a node is seen soon after its start', async () => {
  const troupe = await startTroupe();
  const query_id = await ask(troupe, `[[delay=6000]] ${nested('innermost')}`);
  const { page } = await openPage('about:blank');
  await page.addInitScript(watchFor, 'planner agent #1');
  await page.goto(`${troupe.url}/#/queries/${query_id}`);
  await page.getByRole('row', { name: /planner agent #1/ }).waitFor();
  const seen = await page.evaluate(() => (window as unknown as { seenAt: number }).seenAt);
  const made = (await troupe.events('&kinds=subagent')).find((e) => e.role === 'planner');
  console.log(`a node was seen ${seen - Date.parse(made?.at ?? '')} ms after it was created`);
});

it('nested tasks are rows under their parent, from start to end', async () => {
  const troupe = await startTroupe();
  const query_id = await ask(troupe, nested('[[delay=1500]] innermost'));
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await row('reviewer agent #1').waitFor();
  expect(await row('main agent').getAttribute('aria-level')).toBe('1');
  expect(await row('planner agent #1').getAttribute('aria-level')).toBe('2');
  expect(await row('reviewer agent #1').getAttribute('aria-level')).toBe('3');
  await row('reviewer agent #1').locator('.state-done').waitFor();
  await row('main agent').locator('.state-done').waitFor();
  const bars = await row('reviewer agent #1').getByRole('gridcell').last().getAttribute('title');
  expect(bars).toMatch(/running/);
  // It fits the width: nothing scrolls sideways.
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
});

it('the panel shows what an agent was told, its tools, files, result and raw rows', async () => {
  const troupe = await startTroupe();
  const task = await troupe.start('coder', shellTask('echo written > notes.txt && echo printed'));
  await troupe.ended(task.task_id);
  const { page } = await openPage(`${troupe.url}/#/queries/${task.query_id}?node=${task.task_id}`);
  const panel = page.getByRole('complementary');
  await panel.getByText('coder agent #1').waitFor();
  await panel.getByRole('tab', { name: 'Tools' }).click();
  await panel.getByText(/shell: \$ echo written/).waitFor();
  await panel.getByRole('tab', { name: 'Files' }).click();
  await panel.getByRole('button', { name: 'notes.txt' }).click();
  await panel.getByRole('region', { name: 'notes.txt' }).getByText('written').waitFor();
  await panel.getByRole('tab', { name: 'Result' }).click();
  await panel.getByText('done', { exact: true }).waitFor();
  await panel.getByRole('tab', { name: 'Raw' }).click();
  expect(await panel.textContent()).toContain(`/v1/tasks/${task.task_id}`);
});

it('cancel of a node says what else stops, and its siblings go on', async () => {
  const troupe = await startTroupe();
  const start = (role: string, description: string): string =>
    `[[tool start_async_task ${JSON.stringify({ subagent_type: role, description })}]]`;
  const below = `${start('reviewer', '[[delay=60000]] below')} parent`;
  const input = `${start('planner', below)} ${start('coder', '[[delay=3000]] sibling')} end`;
  const query_id = await ask(troupe, input);
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  await page.getByRole('row', { name: /reviewer agent #1/ }).waitFor();
  await page.getByRole('row', { name: /planner agent #1/ }).click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: /Cancel planner agent #1/ });
  await dialog.getByRole('button', { name: /and 1 nested task/ }).click();
  await page
    .getByRole('row', { name: /reviewer agent #1/ })
    .getByText('cancelled')
    .waitFor();
  await page
    .getByRole('row', { name: /planner agent #1/ })
    .getByText('cancelled')
    .waitFor();
  await page
    .getByRole('row', { name: /coder agent #1/ })
    .getByText('done')
    .waitFor();
});

it('the workspace and the events are downloaded', async () => {
  const troupe = await startTroupe();
  const query_id = await ask(troupe, 'hello');
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  const [events] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Events .jsonl' }).click(),
  ]);
  const lines = readFileSync(await events.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).state)).toContain('completed');
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Workspace .zip' }).click(),
  ]);
  expect(zip.suggestedFilename()).toBe(`${query_id}.zip`);
});

it('a follow-up goes to the main agent, and the answer of the new turn appears', async () => {
  const troupe = await startTroupe();
  const query_id = await ask(troupe, 'first');
  const { page } = await openPage(`${troupe.url}/#/queries/${query_id}`);
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  await page.getByLabel('Follow up').fill('second');
  await page.getByRole('button', { name: 'Send' }).click();
  await until(
    async () => (await page.locator('.answer').textContent())?.includes('second'),
    15_000,
    'the second answer',
  );
});

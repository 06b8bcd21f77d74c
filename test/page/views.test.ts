// Every view in both schemes and at both widths: usable for everybody (axe), never wider than the screen, and drawn
// for the documents when SHOTS names a folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const REQUEST = 'Build a small todo REST API with tests and write its README';
const FACTS = [
  { content: 'The user prefers small functions and plain words.', layer: 'user/profile' },
  { content: 'The todo API keeps its data in one JSON file.', layer: 'project/context' },
  { content: 'HTTP 409 means that the state has changed meanwhile.', layer: 'domain/knowledge' },
];

async function fill(troupe: Troupe): Promise<{ query_id: string; node: string }> {
  for (const fact of FACTS) await troupe.call('POST', '/v1/memory', { ...fact, tags: [] });
  const ask = { input: REQUEST };
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', ask);
  await until(
    async () =>
      (await troupe.call<{ status: string }>('GET', `/v1/queries/${query_id}`)).status ===
      'completed',
    60_000,
    'the example is done',
  );
  const tree = await troupe.call<{ children: { id: string }[] }>(
    'GET',
    `/v1/queries/${query_id}/tree`,
  );
  return { query_id, node: tree.children[1]?.id ?? query_id };
}

const views = (query_id: string, node: string): Record<string, string> => ({
  queries: '#/queries',
  query: `#/queries/${query_id}`,
  panel: `#/queries/${query_id}?node=${node}`,
  inbox: '#/inbox',
  servers: '#/servers',
  memory: '#/memory',
  roles: '#/roles/coder',
  settings: '#/settings',
});

const READY: Record<string, (page: Page) => Promise<void>> = {
  queries: (page) => page.getByText(REQUEST).first().waitFor(),
  query: (page) => page.getByRole('heading', { name: 'Answer' }).waitFor(),
  panel: (page) => page.getByRole('complementary').getByText('completed').waitFor(),
  inbox: (page) => page.getByRole('heading', { name: 'Inbox' }).waitFor(),
  servers: (page) => page.getByText('ready').first().waitFor(),
  memory: (page) => page.getByText('one JSON file').waitFor(),
  roles: (page) => page.getByRole('heading', { name: 'coder' }).waitFor(),
  settings: (page) => page.getByText('server.host').waitFor(),
};

const WIDTHS = [1_440, 360];
const SCHEMES = ['light', 'dark'] as const;

it('each view is fit for everybody, at both widths and in both schemes', async () => {
  const troupe = await startTroupe({ env: { TROUPE_MODEL: 'offline' } });
  const { query_id, node } = await fill(troupe);
  const { page } = await openPage(troupe.url);
  const shots = process.env.SHOTS;
  if (shots) mkdirSync(shots, { recursive: true });
  const found: string[] = [];
  for (const [name, path] of Object.entries(views(query_id, node)))
    for (const width of WIDTHS)
      for (const scheme of SCHEMES) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.goto(`${troupe.url}/${path}`);
        await READY[name]?.(page);
        const { violations } = await new AxeBuilder({ page }).analyze();
        for (const { id, impact, nodes } of violations)
          if (impact === 'serious' || impact === 'critical')
            found.push(`${name} ${width} ${scheme}: ${id} at ${nodes[0]?.target.join(' ')}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${name} ${width} ${scheme}: ${wide} px too wide`);
        if (shots)
          await page.screenshot({ path: join(shots, `page-${name}-${width}-${scheme}.png`) });
      }
  expect(found).toEqual([]);
}, 300_000);

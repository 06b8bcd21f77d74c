// The mobile engineer: screens with their states and ways, and the queue that carries changes over a time without net.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const QUEUE = `// Changes wait here while the device is offline; each has an id, so that sending it twice does no harm.

export function createQueue(send, stored = []) {
  let waiting = [...stored];
  return {
    /** What has to be kept when the system ends the app. */
    waiting: () => [...waiting],
    add(change) {
      if (!waiting.some(({ id }) => id === change.id)) waiting.push(change);
    },
    /** Sends in order; stops at the first that does not arrive and keeps it. */
    async flush() {
      while (waiting.length > 0) {
        if (!(await send(waiting[0]).then(() => true, () => false))) return false;
        waiting = waiting.slice(1);
      }
      return true;
    },
  };
}
`;
const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue } from '../src/queue.mjs';

test('what was changed offline is sent once, in order', async () => {
  const sent = [];
  let online = false;
  const queue = createQueue(async (change) => { if (!online) throw new Error('offline'); sent.push(change.id); });
  queue.add({ id: '1' });
  queue.add({ id: '2' });
  queue.add({ id: '1' });
  assert.equal(await queue.flush(), false);
  online = true;
  assert.equal(await queue.flush(), true);
  assert.deepEqual([sent, queue.waiting()], [['1', '2'], []]);
});
test('it goes on with what was stored when the app was ended', async () => {
  const sent = [];
  await createQueue(async ({ id }) => void sent.push(id), [{ id: '7' }]).flush();
  assert.deepEqual(sent, ['7']);
});
`;
const screen = (name: string, way: string, states: Record<string, string>): string =>
  `## ${name}\n\n- Way: ${way}\n${Object.entries(states)
    .map(([k, v]) => `- ${k}: ${v}`)
    .join('\n')}\n`;
const HEAD =
  '# Shopping list app\n\nReact Native, because the web app is React. Stack: Lists, List, Item.\n\n';
const FLOW =
  HEAD +
  [
    screen('Lists', 'start of the app; back leaves the app (Android), nothing (iOS)', {
      Loading: 'last lists at once',
      Empty: 'a button for the first list',
      Error: 'the stored lists with "not up to date"',
      Offline: 'stored lists and their age',
    }),
    screen('List', 'tap on a list; back by gesture or button; link list/ID', {
      Loading: 'stored items',
      Empty: 'the field for the first item has the focus',
      Error: 'a line with "try again"',
    }),
    screen('Item', 'tap on an item; back keeps what was typed', {
      Loading: 'none: it is there',
      Empty: 'none',
      Error: 'the old text stays',
      Offline: 'saved here, sent later',
    }),
  ].join('\n') +
  '\n## Where the platforms differ\n\n- iOS: swipe from the edge. Android: the system button ends the keyboard first.\n';

const story: Story = {
  input: 'Plan and begin the shopping list app: screens, navigation, and lists that work offline.',
  files: {
    'docs/web.md': '# Web app\n\nReact. Lists with items; PUT /lists/ID/items/ID.\n',
    'package.json': '{"name":"shop","type":"module"}\n',
  },
  steps: {
    mobile: [
      {
        sees: ['shopping list app'],
        calls: [
          ['list', { path: 'doc' }],
          ['glob', { pattern: '**/*' }],
        ],
      },
      {
        sees: ['"doc" does not exist; did you mean "docs"?', 'docs/web.md\npackage.json'],
        calls: [['read', { path: 'docs/web.md' }]],
      },
      {
        sees: ['PUT /lists/ID/items/ID'],
        calls: [
          ['write', { path: 'docs/FLOW.md', content: FLOW }],
          ['write', { path: 'src/queue.mjs', content: QUEUE }],
          ['write', { path: 'test/queue.test.mjs', content: TESTS }],
          ['shell', { command: 'node --test 2>&1' }],
          ['grep', { pattern: '^## |Offline:', path: 'docs/FLOW.md' }],
        ],
      },
      {
        // The list itself has no state for offline: the search shows it.
        sees: [/pass 2/, '[exit code 0, ', 'docs/FLOW.md:13:## List\ndocs/FLOW.md:20:## Item'],
        calls: [
          [
            'edit',
            {
              path: 'docs/FLOW.md',
              old: '- Error: a line with "try again"\n',
              new: '- Error: a line with "try again"\n- Offline: stored items; ticks wait in the queue, the newest tick wins\n',
            },
          ],
        ],
      },
      {
        sees: ['edited docs/FLOW.md at line 18', '    19\t- Offline: stored items;'],
        says: 'Flow: `docs/FLOW.md`. Queue: `src/queue.mjs`, tested with `node --test` (2 pass). Nobody has seen it on a device yet.',
      },
    ],
  },
};

it('describes every screen with its way and its states, offline too, and tests the queue behind them', async () => {
  const { at, run } = await tell(story);
  const [, ...screens] = at('docs/FLOW.md').split(/^## /m);
  expect(screens.map((text) => text.split('\n')[0])).toEqual([
    'Lists',
    'List',
    'Item',
    'Where the platforms differ',
  ]);
  for (const text of screens.slice(0, 3))
    for (const part of ['- Way: ', '- Loading: ', '- Empty: ', '- Error: ', '- Offline: '])
      expect(text).toContain(part);
  expect(await run('--test')).toEqual({ code: 0, out: expect.stringContaining('pass 2') });
}, 60_000);

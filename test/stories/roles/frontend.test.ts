// The frontend engineer: a static page whose states work without a browser, and whose markup can be used by everybody.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const STATE = `/** The four states of the page: loading, failed, empty, full. Text is data: what it holds is escaped. */
export const escape = (text) =>
  String(text).replace(/[&<>"']/g, (c) => '&#' + c.charCodeAt(0) + ';');

export function view({ status, words = [], search = '' }) {
  if (status === 'loading') return '<p role="status">Loading…</p>';
  if (status === 'failed')
    return '<p role="alert">The words could not be loaded.</p><button type="button" id="again">Try again</button>';
  const found = words.filter(({ word }) => word.toLowerCase().includes(search.trim().toLowerCase()));
  if (found.length === 0) return '<p role="status">No word fits.</p>';
  return '<ul>' + found.map(({ word, means }) => '<li><b>' + escape(word) + '</b> ' + escape(means) + '</li>').join('') + '</ul>';
}
`;
const APP = `import { view } from './view.js';

const list = document.querySelector('#words');
const search = document.querySelector('#search');
let state = { status: 'loading', words: [] };

function show(change) {
  state = { ...state, ...change };
  list.innerHTML = view({ ...state, search: search.value });
  list.querySelector('#again')?.addEventListener('click', load);
}
async function load() {
  show({ status: 'loading' });
  try {
    const answer = await fetch('words.json');
    if (!answer.ok) throw new Error(answer.statusText);
    show({ status: 'ready', words: await answer.json() });
  } catch {
    show({ status: 'failed' });
  }
}
search.addEventListener('input', () => show({}));
load();
`;
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Words</title>
  <link rel="stylesheet" href="style.css">
</head>
<body>
  <main>
    <h1>Words</h1>
    <input id="search" type="search" placeholder="Search">
    <section id="words" aria-live="polite"></section>
  </main>
  <script type="module" src="app.js"></script>
</body>
</html>
`;
const STYLE =
  'main { max-width: 40rem; margin: auto; padding: 1rem; overflow-wrap: anywhere; }\ninput:focus-visible { outline: 2px solid; }\n';

const story: Story = {
  input: 'Make a page that shows words.json as a list that can be searched.',
  files: { 'words.json': '[{"word":"안녕","means":"hello"},{"word":"<b>","means":"a tag"}]\n' },
  steps: {
    frontend: [
      {
        sees: ['words.json'],
        calls: [
          ['read', { path: 'words.json' }],
          ['glob', { pattern: '**/*.{html,css,js}' }],
        ],
      },
      {
        sees: ['     1\t[{"word":"안녕"', 'no file matches'],
        calls: [
          ['write', { path: 'index.html', content: PAGE }],
          ['write', { path: 'view.js', content: STATE }],
          ['write', { path: 'app.js', content: APP }],
          ['write', { path: 'style.css', content: STYLE }],
          [
            'shell',
            { command: 'for f in *.js; do node --input-type=module --check < $f || exit 1; done' },
          ],
        ],
      },
      {
        sees: ['created index.html: ', '(no output)\n[exit code 0'],
        says: 'The search field has no name for a screen reader.',
        // Its quotes came out of its head.
        calls: [
          [
            'edit',
            {
              path: 'index.html',
              old: "<input id='search' type='search' placeholder='Search'>",
              new: '',
            },
          ],
        ],
      },
      {
        sees: [
          'nothing was changed',
          'The nearest lines of the file are:',
          '    12\t    <input id="search" type="search" placeholder="Search">',
        ],
        calls: [
          [
            'edit',
            {
              path: 'index.html',
              old: '<input id="search" type="search" placeholder="Search">',
              new: '<label for="search">Search</label>\n    <input id="search" type="search" autocomplete="off">',
            },
          ],
          [
            'shell',
            {
              command: `node --input-type=module -e "import { view } from './view.js'; for (const s of ['loading','failed','ready']) console.log(view({ status: s, words: [{ word: '<i>', means: 'x' }] }))"`,
            },
          ],
        ],
      },
      {
        sees: [
          '    12\t    <label for="search">Search</label>',
          'Loading…',
          'Try again',
          '&#60;i&#62;',
        ],
        says: 'Files: `index.html`, `view.js`, `app.js`, `style.css`; serve the folder, no build. States: loading, failed with a way on, empty, full. Not seen in a browser here.',
      },
    ],
  },
};

it('makes a page whose controls are named, whose files exist, and whose states show text as text', async () => {
  const { at, exists, run, changed } = await tell(story);
  expect(changed().sort()).toEqual(['app.js', 'index.html', 'style.css', 'view.js']);
  const page = at('index.html');
  for (const [, path = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g))
    expect([path, exists(path)]).toEqual([path, true]);
  for (const [, id] of page.matchAll(/<input id="([^"]+)"/g))
    expect(page).toContain(`<label for="${id}">`);
  // Every element that the script looks for is in the page or in what it shows.
  for (const [, id] of at('app.js').matchAll(/querySelector\('#(\w+)'\)/g))
    expect(page + at('view.js')).toContain(`id="${id}"`);
  const states = `import { view } from './view.js'; import { readFileSync } from 'node:fs';
    const words = JSON.parse(readFileSync('words.json', 'utf8'));
    console.log(JSON.stringify([view({ status: 'ready', words }), view({ status: 'ready', words, search: 'zzz' }), view({ status: 'ready', words, search: ' 안녕' })]));`;
  const [all, none, one] = JSON.parse(
    (await run('--input-type=module', '-e', states)).out,
  ) as string[];
  expect(all?.match(/<li>/g)).toHaveLength(2);
  expect(all).not.toContain('<b><b>');
  expect([none, one?.match(/<li>/g)?.length]).toEqual(['<p role="status">No word fits.</p>', 1]);
}, 60_000);

// A static web page: a list of a noun that the browser keeps, or a landing page with a title.
import { type File, nounName, pick, type Recipe, type Topic } from '../recipe.ts';
import { reviewPart } from './review-part.ts';

const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c,
  );

const page = (
  topic: Topic,
  title: string,
  body: string,
  script: boolean,
): string => `<!doctype html>
<html lang="${topic.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
${script ? '<script type="module" src="app.js"></script>\n' : ''}</body>
</html>
`;

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; }
form { display: flex; gap: 0.5rem; }
input[type='text'] { flex: 1; padding: 0.5rem; font: inherit; }
button { padding: 0.5rem 1rem; font: inherit; cursor: pointer; }
ul { padding: 0; list-style: none; }
li { display: flex; gap: 0.5rem; align-items: center; padding: 0.25rem 0; }
li span { flex: 1; overflow-wrap: anywhere; }
.done span { text-decoration: line-through; opacity: 0.6; }
`;

const app = (topic: Topic): string => `const KEY = '${topic.noun.plural}';
const list = document.querySelector('ul');
const form = document.querySelector('form');
const input = document.querySelector('#text');
let items = JSON.parse(localStorage.getItem(KEY) ?? '[]');

function save() {
  localStorage.setItem(KEY, JSON.stringify(items));
  draw();
}

function row(item) {
  const line = document.createElement('li');
  line.classList.toggle('done', item.done);
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = item.done;
  box.setAttribute('aria-label', item.text);
  box.addEventListener('change', () => {
    item.done = box.checked;
    save();
  });
  const text = document.createElement('span');
  text.textContent = item.text;
  const remove = document.createElement('button');
  remove.textContent = '×';
  remove.setAttribute('aria-label', '${pick(topic, 'Remove', '삭제', '删除')} ' + item.text);
  remove.addEventListener('click', () => {
    items = items.filter((other) => other !== item);
    save();
  });
  line.append(box, text, remove);
  return line;
}

function draw() {
  list.replaceChildren(...items.map(row));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = input.value.trim();
  if (text === '') return;
  items.push({ text, done: false });
  input.value = '';
  save();
});
draw();
`;

function listPage(topic: Topic): File[] {
  const name = nounName(topic);
  const label = pick(topic, `New ${name}`, `새 ${name}`, `新${name}`);
  const body = `<form>
<label for="text">${label}</label>
<input id="text" type="text" maxlength="200" autocomplete="off">
<button>${pick(topic, 'Add', '추가', '添加')}</button>
</form>
<ul></ul>`;
  return [
    { path: 'index.html', text: page(topic, topic.title || name, body, true) },
    { path: 'style.css', text: STYLE },
    { path: 'app.js', text: app(topic) },
  ];
}

function landingPage(topic: Topic): File[] {
  const title = topic.title || pick(topic, 'My page', '나의 페이지', '我的页面');
  const first = pick(topic, 'What it is', '소개', '简介');
  const second = pick(topic, 'Contact', '연락처', '联系方式');
  const write = pick(topic, 'Write your text here.', '여기에 글을 쓰세요.', '请在这里填写文字。');
  const section = (name: string) => `<section>\n<h2>${name}</h2>\n<p>${write}</p>\n</section>`;
  return [
    {
      path: 'index.html',
      text: page(topic, title, `${section(first)}\n${section(second)}`, false),
    },
    { path: 'style.css', text: STYLE },
  ];
}

const PAGE =
  /\b(?:web|html|landing|home|static)\s*-?(?:page|site)s?\b|\bwebsite\b|\bhomepage\b|웹\s?페이지|홈페이지|웹\s?사이트|랜딩\s?페이지|网页|網頁|网站|主页|着陆页|落地页/i;
const MAKES =
  /\b(?:build|make|create|write|design|scaffold|generate)\b|만들|작성|제작|做|写|创建|建|制作|生成|设计/i;
const LISTS =
  /\b(?:to-?dos?|lists?|notes?|tasks?|bookmarks?)\b|할\s?일|목록|메모|待办|列表|清单|笔记/i;

export const webPage: Recipe = {
  id: 'web-page',
  match: (request) =>
    PAGE.test(request) && MAKES.test(request) ? (LISTS.test(request) ? 'list' : 'landing') : null,
  parts: [
    {
      id: 'page',
      role: 'frontend',
      after: [],
      when: null,
      task: (t) =>
        pick(
          t,
          'Write the static web page: index.html and style.css.',
          '정적 웹 페이지를 작성하세요: index.html과 style.css.',
          '编写静态网页：index.html 和 style.css。',
        ),
      files: (t) => (t.variant === 'list' ? listPage(t) : landingPage(t)),
      check: (t) => (t.variant === 'list' ? 'node --check app.js' : null),
    },
    reviewPart(['page']),
  ],
};

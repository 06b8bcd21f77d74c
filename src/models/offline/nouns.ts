// Things that people keep lists of, and the fields they have. Data for the recipes.

export type Field = {
  name: string;
  type: 'string' | 'number' | 'boolean';
  required: boolean;
  /** Two valid values for examples and tests. */
  samples: [string, string] | [number, number] | [boolean, boolean];
};
export type Noun = {
  id: string;
  /** Path of the collection: plural, lower case. */
  plural: string;
  ko: string;
  zh: string;
  words: RegExp;
  fields: Field[];
};

const text = (name: string, a: string, b: string, required = true): Field => ({
  name,
  type: 'string',
  required,
  samples: [a, b],
});
const number = (name: string, a: number, b: number): Field => ({
  name,
  type: 'number',
  required: false,
  samples: [a, b],
});
const flag = (name: string): Field => ({
  name,
  type: 'boolean',
  required: false,
  samples: [true, false],
});

// biome-ignore format: a table, one row a line
export const NOUNS: readonly Noun[] = [
  { id: 'todo', plural: 'todos', ko: '할 일', zh: '待办事项', words: /\bto-?dos?\b|\bto do list\b|할\s?일|투두|待办|待辦/i, fields: [text('title', 'buy milk', 'call Kim'), flag('done')] },
  { id: 'note', plural: 'notes', ko: '메모', zh: '笔记', words: /\b(?:notes?|memos?)\b|메모|노트|笔记|筆記|便签/i, fields: [text('title', 'idea', 'plan'), text('body', 'a longer text', 'another text', false)] },
  { id: 'book', plural: 'books', ko: '책', zh: '图书', words: /\b(?:books?|library)\b|도서|책|图书|書|书籍/i, fields: [text('title', 'Dune', 'Emma'), text('author', 'Herbert', 'Austen', false), number('year', 1965, 1815)] },
  { id: 'contact', plural: 'contacts', ko: '연락처', zh: '联系人', words: /\b(?:contacts?|address book)\b|연락처|주소록|联系人|聯絡人|通讯录/i, fields: [text('name', 'Kim', 'Li'), text('email', 'kim@example.com', 'li@example.com', false), text('phone', '+82 2 123', '+86 10 456', false)] },
  { id: 'product', plural: 'products', ko: '상품', zh: '商品', words: /\b(?:products?|inventory|shop)\b|상품|제품|재고|商品|产品|產品|库存/i, fields: [text('name', 'lamp', 'chair'), number('price', 19.5, 80)] },
  { id: 'user', plural: 'users', ko: '사용자', zh: '用户', words: /\b(?:users?|accounts?|members?)\b|사용자|회원|유저|用户|用戶|会员/i, fields: [text('name', 'Ada', 'Alan'), text('email', 'ada@example.com', 'alan@example.com', false)] },
  { id: 'post', plural: 'posts', ko: '게시글', zh: '文章', words: /\b(?:posts?|blog|articles?)\b|게시글|게시물|블로그|文章|帖子|博客/i, fields: [text('title', 'Hello', 'News'), text('body', 'first text', 'second text', false)] },
  { id: 'bookmark', plural: 'bookmarks', ko: '북마크', zh: '书签', words: /\b(?:bookmarks?|links?)\b|북마크|즐겨찾기|书签|書籤|收藏/i, fields: [text('url', 'https://example.com/a', 'https://example.com/b'), text('title', 'A', 'B', false)] },
  { id: 'event', plural: 'events', ko: '일정', zh: '日程', words: /\b(?:events?|calendar|schedule)\b|일정|캘린더|日程|日历|活动/i, fields: [text('title', 'meeting', 'lunch'), text('date', '2030-01-01', '2030-02-02', false)] },
  { id: 'expense', plural: 'expenses', ko: '지출', zh: '支出', words: /\b(?:expenses?|spending|budget)\b|지출|가계부|비용|支出|费用|记账/i, fields: [text('title', 'coffee', 'train'), number('amount', 4.5, 30)] },
  { id: 'task', plural: 'tasks', ko: '작업', zh: '任务', words: /\btasks?\b|작업|태스크|任务|任務/i, fields: [text('title', 'paint the wall', 'fix the door'), flag('done')] },
];

export const ITEM: Noun = {
  id: 'item',
  plural: 'items',
  ko: '항목',
  zh: '条目',
  words: /\bitems?\b|항목|条目|項目/i,
  fields: [text('name', 'first', 'second')],
};

const COMMON = new Set(
  'a an the my our your this that new small simple basic tiny little nice good great full complete public http json web rest restful crud working minimal build make create write list of'.split(
    ' ',
  ),
);
const AFTER =
  /\bapi\s+(?:for|of|to manage|that manages|managing)\s+(?:(?:a|an|the|my|our)\s+)?(?:list of\s+)?([a-z]{3,20})\b/i;
const BEFORE = /\b([a-z]{3,20})\s+(?:rest(?:ful)?|crud|api)\b/i;
const singular = (word: string): string =>
  /ies$/.test(word) ? `${word.slice(0, -3)}y` : word.replace(/(?<!s)s$/, '');
const plural = (word: string): string =>
  /[^aeiou]y$/.test(word)
    ? `${word.slice(0, -1)}ies`
    : `${word}${/(?:s|x|ch|sh)$/.test(word) ? 'es' : 's'}`;
const named = (id: string): Noun => ({ ...ITEM, id, plural: plural(id), ko: id, zh: id });

export const nounById = (id: string): Noun =>
  NOUNS.find((n) => n.id === id) ??
  (id === ITEM.id || !/^[a-z]{2,20}$/.test(id) ? ITEM : named(id));
/** The noun that a request names: a known one, an English word in its place, or ITEM. */
export function nounIn(request: string): Noun {
  const known = NOUNS.find((n) => n.words.test(request));
  if (known) return known;
  const word = (AFTER.exec(request) ?? BEFORE.exec(request))?.[1]?.toLowerCase();
  return word === undefined || COMMON.has(word) ? ITEM : named(singular(word));
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cosine, fuse } from '../../src/memory/fuse.ts';
import { openMemory } from './kit.ts';

const table = (name: string): string[][] =>
  readFileSync(`test/fixtures/memory/${name}.tsv`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));

/** All 200 memories of the table in one project; answers ids of the table. */
async function filled() {
  const kit = await openMemory();
  const by = kit.main(await kit.query());
  const ids = new Map<string, string>();
  await Promise.all(
    table('memories').map(async ([id = '', layer, content = '']) => {
      ids.set((await kit.remember(by, content, layer)).record_id, id);
    }),
  );
  const find = async (query: string) =>
    (await kit.found(by, query, null, 3)).map((r) => ids.get(r.record_id) ?? '');
  return { kit, by, find };
}

describe('on 200 memories', () => {
  it('finds at least 27 of 30 facts among the first three, asked in their own language', async () => {
    const { find } = await filled();
    const missed: string[] = [];
    for (const [, id = '', query = ''] of table('queries'))
      if (!(await find(query)).includes(id)) missed.push(query);
    expect(table('queries')).toHaveLength(30);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(3);
  });

  it('finds nothing for what nobody has said anything about', async () => {
    const { kit, by } = await filled();
    for (const [, query = ''] of table('unrelated')) {
      expect(await kit.found(by, query), query).toEqual([]);
      expect(await kit.agents.recall(by.query_id, async () => query), query).toBe('');
    }
  });
});

it.each([
  ['腾讯云的密钥放在保险库里', '腾讯'],
  ['会议室在三楼', '会议'],
  ['我的猫叫米米', '猫'],
  ['用户的时区是东八区', '时区'],
  ['サーバーは東京にある', 'サーバー'],
  ['データベースの移行は五月', '移行'],
  ['データベースの移行は五月', 'データベース'],
  ['서버에서는 로그를 남긴다', '서버'],
  ['서버를 매일 재시작한다', '서버'],
  ['키를 금고에 둔다', '키'],
  ['김치찌개는 돼지고기로 끓인다', '김치'],
  ['목적지는 서울역이다', '서울역'],
  ['The user prefers tabs over spaces', 'Tabs?'],
  ['Deploy target is Fly.io', 'Where is it deployed?'],
  ['The max_retries setting is 5', 'retries'],
  ['Ｆｕｌｌ ｗｉｄｔｈ ｔｅｘｔ', 'width'],
])('finds "%s" by "%s", also as the only record', async (content, query) => {
  const kit = await openMemory();
  const by = kit.main(await kit.query());
  await kit.remember(by, content);
  expect((await kit.found(by, query)).map((r) => r.content)).toEqual([
    content.normalize('NFC').trim(),
  ]);
});

it('takes any text as words: operators, quotes, emoji, thousands of words', async () => {
  const kit = await openMemory();
  const by = kit.main(await kit.query());
  await kit.remember(by, 'The gateway listens on port 8443');
  for (const query of [
    '"gateway" NOT',
    'gateway*',
    'a:b (gateway',
    "'; DROP TABLE x; gateway",
    '🙂',
  ])
    expect(Array.isArray(await kit.found(by, query)), query).toBe(true);
  const long = `${'lorem ipsum dolor '.repeat(200)} the gateway listens on port 8443`;
  expect(await kit.found(by, long)).toHaveLength(1);
  expect(await kit.found(by, 'lorem ipsum dolor '.repeat(200))).toEqual([]);
});

it('keeps to the layer and the number that were asked for', async () => {
  const kit = await openMemory();
  const by = kit.main(await kit.query());
  for (let i = 0; i < 8; i += 1) await kit.remember(by, `the gateway rule ${i}`, 'project');
  await kit.remember(by, 'the gateway of the user', 'user');
  expect(await kit.found(by, 'gateway', 'project_context', 3)).toHaveLength(3);
  expect((await kit.found(by, 'gateway', 'profile')).map((r) => r.layer)).toEqual(['user/profile']);
});

describe('fusion of two orders', () => {
  it('puts first what stands high in both', () => {
    expect(
      fuse([
        ['a', 'b', 'c'],
        ['c', 'b', 'd'],
      ]),
    ).toEqual(['c', 'b', 'a', 'd']);
    expect(fuse([[], []])).toEqual([]);
  });
  it('compares vectors by direction, and never those of another length', () => {
    expect(cosine([1, 0], [2, 0])).toBeCloseTo(1);
    expect(cosine([1, 0], [0, 1])).toBe(0);
    expect(cosine([1, 0], [1, 0, 0])).toBe(0);
    expect(cosine([0, 0], [1, 0])).toBe(0);
  });
});

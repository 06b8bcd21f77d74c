import { describe, expect, it } from 'vitest';
import { detectLanguage } from '../../src/language/detect.ts';
import { startsWithVerb } from '../../src/language/lexicon.ts';
import { maskText } from '../../src/language/mask.ts';
import { tokens } from '../../src/language/tokens.ts';

describe('detectLanguage', () => {
  it.each([
    ['Build a small todo REST API with tests', 'en'],
    ['할 일 REST API를 만들고 테스트와 README도 작성해줘', 'ko'],
    ['TypeScript로 REST API server를 만들어줘', 'ko'],
    ['做一个待办事项 REST API，写测试和 README', 'zh'],
    ['修復登入錯誤', 'zh'],
    ['Translate "안녕하세요" into English', 'en'],
    ['Create hello.txt containing the word 안녕', 'en'],
    ['運用 Docker 部署 application server', 'zh'],
    ['12345', 'en'],
    ['', 'en'],
  ])('%j is %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });
});

describe('startsWithVerb', () => {
  it.each([
    ['please write the docs', 'en', true],
    ['drop bug', 'en', false],
    ['dogs fight', 'en', false],
    ['请优化数据库', 'zh', true],
    ['数据库很慢', 'zh', false],
    ['문서를 업데이트해줘', 'ko', true],
    ['파이썬', 'ko', false],
  ] as const)('%j (%s): %s', (text, language, verb) => {
    expect(startsWithVerb(text, language)).toBe(verb);
  });
});

describe('maskText', () => {
  it('keeps every position and hides what is not prose', () => {
    const text = 'Open "a and b" at https://x.test/a and `c` in src/d.ts';
    const masked = maskText(text);
    expect(masked).toHaveLength(text.length);
    expect(masked).not.toMatch(/a and b|x\.test|src/);
    expect(masked).toContain(' and ');
  });
  it("takes don't for a word, not for a quote", () => {
    expect(maskText("don't and won't")).toBe("don't and won't");
  });
});

describe('tokens', () => {
  it.each([
    ['Fix the Parser_2!', ['fix', 'the', 'parser_2']],
    ['腾讯云部署', ['腾讯', '讯云', '云部', '部署']],
    ['서버를 재시작', ['서버', '버를', '재시', '시작']],
    ['云', ['云']],
    ['REST API를', ['rest', 'api', '를']],
    ['', []],
  ])('%j', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
  it('finds a two-character word in a text of any of the languages', () => {
    for (const [text, word] of [
      ['서버가 죽었다', '서버'],
      ['迁移到腾讯云', '腾讯'],
    ] as const)
      expect(tokens(text)).toContain(tokens(word)[0]);
  });
});

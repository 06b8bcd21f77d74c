import { describe, expect, it } from 'vitest';
import { splitRequest, splitSentences } from '../../src/language/split.ts';

/** Parts of the request, or 0 when it is one piece of work. */
const INDEPENDENT: [text: string, parts: number][] = [
  ['Fix error A and also fix error B', 2],
  ['FIX THE PARSER AND UPDATE THE CHANGELOG', 2],
  ['Refactor the parser + write tests for the lexer', 2],
  ['Fix the parser\nand update the changelog please', 2],
  ['Fix the login, update the docs and write the changelog', 3],
  ['Check that all tests pass and write the changelog', 2],
  ['1. fix login\n2. fix signup\n3. write docs', 3],
  ['Please do this:\n- fix login\n- fix signup', 2],
  ['로그인 버그를 고쳐줘. 그리고 회원가입 테스트도 추가해줘', 2],
  ['로그인 버그를 수정해줘, 또한 문서를 업데이트해줘', 2],
  ['修复登录错误并且优化数据库查询', 2],
  ['修复登录错误，同时优化数据库查询', 2],
  ['修復登入錯誤並且優化資料庫查詢', 2],
  ['1、修复登录\n2、修复注册', 2],
  ['Fix the drag and drop bug', 0],
  ['Explain research and development tax credits', 0],
  ['Explain the phrase "fix A and fix B" in English', 0],
  ['Explain `fix the bug and fix the test` to me', 0],
  ['Compute 2 + 2 for me', 0],
  ['Press Ctrl + C to stop', 0],
  ['Use OAuth2 + PKCE for the login flow', 0],
  ['Rename foo to bar and update its callers', 0],
  ['Review src/a and b/c.ts for bugs', 0],
  ['Run select * from t where a=1 and b=2 on the database', 0],
  ['그리고 나서 배포해줘', 0],
  ['그리고 문서를 업데이트해줘', 0],
  ['而且这个函数太慢了', 0],
  ['姑且先修复登录错误', 0],
  ['先分析日志，同时期的数据忽略', 0],
  ['与此同时修复登录错误', 0],
  ['Hello', 0],
  ['Is it true that cats and dogs fight?', 0],
  ['', 0],
];

describe('splitRequest', () => {
  it.each(INDEPENDENT)('%j has %i independent parts', (text, parts) => {
    const split = splitRequest(text);
    const independent = split.how === 'list' || split.how === 'conjunction';
    expect(independent ? split.parts.length : 0, split.reason).toBe(parts);
  });

  it.each([
    ['Write the parser and then write the tests', 'write the tests'],
    ['Build the server, then run the tests', 'run the tests'],
    ['서버를 만들어줘. 그런 다음 테스트를 실행해줘', '테스트를 실행해줘'],
    ['先写服务器代码，然后运行测试', '运行测试'],
  ])('%j is an ordered sequence', (text, last) => {
    const split = splitRequest(text);
    expect(split.how).toBe('sequence');
    expect(split.parts.at(-1)).toBe(last);
  });

  it('is not misled by a condition', () => {
    expect(splitRequest('If the test fails, then fix the code').how).toBe('single');
  });

  it('keeps the words of the parts as they were written', () => {
    expect(
      splitRequest('Fix `a and b` in src/x.ts and also write docs for "c and d"').parts,
    ).toEqual(['Fix `a and b` in src/x.ts', 'write docs for "c and d"']);
  });

  it('keeps a list item with its continuation lines', () => {
    expect(splitRequest('1. fix login\n   on mobile\n2. fix signup').parts).toEqual([
      'fix login\non mobile',
      'fix signup',
    ]);
  });
});

describe('splitSentences', () => {
  it('does not end a sentence inside a file name, a number or a quote', () => {
    expect(
      splitSentences(
        'Create a.txt with "Hi. You." in it. Use version 1.2 of it! 파일을 읽어줘。완료',
      ),
    ).toEqual([
      'Create a.txt with "Hi. You." in it.',
      'Use version 1.2 of it!',
      '파일을 읽어줘。',
      '완료',
    ]);
  });

  it('ends one at a line break only where the next line is a request', () => {
    expect(splitSentences('Create hello.txt\nwith some text\nWrite the docs')).toEqual([
      'Create hello.txt\nwith some text',
      'Write the docs',
    ]);
  });

  it('keeps a code block with the words before it', () => {
    const text = 'Write this to run.py:\n```\nprint(1). print(2)\n```';
    expect(splitSentences(text)).toEqual([text]);
  });
});

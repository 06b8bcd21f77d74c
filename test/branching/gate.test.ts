import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gateScores } from '../../bench/gate-score.ts';
import { GATE_REASONS, readGate } from '../../src/branching/index.ts';

const vectors = (file: string): { text: string; parts: number }[] =>
  JSON.parse(readFileSync(new URL(`../fixtures/gate/${file}`, import.meta.url), 'utf8')).vectors;

describe.each(['gate-vectors.json', 'own-en.json', 'own-ko.json', 'own-zh.json'])('%s', (file) => {
  it.each(vectors(file))('cuts $text into $parts parts', ({ text, parts }) => {
    const verdict = readGate(text);
    expect(verdict.parts.length, verdict.reason).toBe(parts);
    expect(verdict.open).toBe(parts > 0);
    // Parts are the user's own words.
    for (const part of verdict.parts) expect(text.normalize('NFC')).toContain(part);
  });
});

describe('the gate', () => {
  it('is right where it was never tuned: at least nine of ten splits, at least eight of ten found', () => {
    const score = gateScores().find(
      ({ set, language }) => set === 'held out' && language === 'all',
    );
    expect(score?.precision).toBeGreaterThanOrEqual(0.9);
    expect(score?.recall).toBeGreaterThanOrEqual(0.8);
  });

  it.each([
    ['Fix the login bug and update the README', ['Fix the login bug', 'update the README']],
    [
      '로그인 버그를 고쳐줘. 그리고 문서를 업데이트해줘.',
      ['로그인 버그를 고쳐줘', '문서를 업데이트해줘'],
    ],
    ['修復登入錯誤，並且優化資料庫查詢。', ['修復登入錯誤', '優化資料庫查詢']],
    [
      'Add dark mode, remove `a and b`, and also upgrade x.y.',
      ['Add dark mode', 'remove `a and b`', 'upgrade x.y'],
    ],
  ])('gives the parts of %j as they were written', (text, parts) => {
    expect(readGate(text).parts).toEqual(parts);
  });

  it('keeps what is said beside the parts', () => {
    const { parts, context } = readGate(
      'We release today. Fix the login crash and update the license headers. Use TypeScript only.',
    );
    expect(parts).toHaveLength(2);
    expect(context).toEqual(['We release today', 'Use TypeScript only']);
  });

  it.each([
    ['First fix the parser, then update the docs and finally publish the package', 3],
    ['Fix the login bug and then deploy the site', 2],
    ['먼저 로그를 분석하고 그 다음에 보고서를 작성해줘', 2],
    ['先修复错误，然后部署到生产环境', 2],
    ['Follow these steps in order:\n1. Install the dependencies\n2. Build the project', 2],
  ])('%j is a sequence: closed, with its steps', (text, steps) => {
    const verdict = readGate(text);
    expect(verdict).toMatchObject({ open: false, mode: 'sequential', parts: [] });
    expect(verdict.steps).toHaveLength(steps);
  });

  it.each([
    ['', 'empty'],
    ['Hello', 'no_request'],
    ['Fix the login bug', 'single_request'],
    ['What is a monad?', 'question'],
    ['If the build fails, fix the tests and update the docs', 'condition'],
    ['Update the import and export buttons', 'nouns'],
    ['Write a script to download the images and resize the thumbnails', 'inner_clause'],
    ['Write a parser and add tests for it', 'dependent'],
    ['Fix the login bug and do not touch the tests', 'limit'],
    ['Fix and test the login flow', 'too_short'],
    ['Fix the login bug. Update the README.', 'no_conjunction'],
    ['Shopping:\n- milk\n- bread', 'list_of_things'],
  ])('%j stays closed: %s', (text, reason) => {
    expect(readGate(text).reason).toBe(reason);
    expect(Object.keys(GATE_REASONS)).toContain(reason);
  });

  it('finds the same parts however they are written', () => {
    const same = [
      'Fix the login bug and update the README',
      'FIX THE LOGIN BUG AND UPDATE THE README',
      'fix the login bug,  and\nupdate the README!',
      'Please fix the login bug, and please update the README.',
      '- fix the login bug\n- update the README',
      '(1) fix the login bug (2) update the README',
      'ｆｉｘ the login bug and update the README',
    ];
    for (const text of same) expect([text, readGate(text).parts.length]).toEqual([text, 2]);
  });

  it('reads long and hostile texts in bounded time', () => {
    const seeds = [
      'a',
      ' ',
      '-',
      '@',
      '“',
      "'",
      '`',
      'and ',
      'fix a and ',
      'select ',
      '并且',
      '고 ',
      '(1) ',
    ];
    for (const seed of [...seeds, '\n', '- fix the bug\n', '버그를 고치고 ', '. also ', ', ']) {
      const since = performance.now();
      readGate(seed.repeat(Math.ceil(100_000 / seed.length)));
      expect(performance.now() - since, JSON.stringify(seed)).toBeLessThan(10_000);
    }
  });

  it('finds the parts in a very long text', () => {
    const long = `${'This is background that asks for nothing. '.repeat(2_000)}\nFix the login bug and update the README.`;
    expect(readGate(long)).toMatchObject({ open: true, parts: { length: 2 } });
  });
});

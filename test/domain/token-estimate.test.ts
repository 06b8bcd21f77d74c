// The estimate of tokens against what real tokenizers have counted: never below, and not far above.
import { describe, expect, it } from 'vitest';
import { estimateRequest, estimateTokens } from '../../src/domain/token-estimate.ts';

// Counted with the tokenizers cl100k_base and o200k_base; the larger of the two.
const COUNTED: [name: string, text: string, tokens: number][] = [
  ['prose', 'The quick brown fox jumps over the lazy dog. It was not amused by this at all.', 19],
  ['code', 'export function add(a: number, b: number): number {\n  return a + b;\n}\n', 20],
  ['JSON', '{"path":"src/index.ts","offset":120,"limit":80}', 15],
  ['an id', '0198c0de-7f3a-7000-8000-9b1c2d3e4f50', 28],
  ['indentation', '        if (x) {\n            return;\n        }\n', 11],
  ['letters that are no word', 'qzxwvkjhgfdplmnbtrcyqzxwvkjhgf', 18],
  ['Korean', '서버를 다시 시작해 주세요', 9],
  ['Chinese', '请重新启动服务器，然后告诉我结果。', 14],
  ['emoji', '🕰🚀✨ 👩‍💻 done ✅', 17],
];

describe('the estimate', () => {
  it.each(COUNTED)(
    'of %s is enough, and at most three times what was counted',
    (_, text, tokens) => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens);
      expect(estimateTokens(text)).toBeLessThanOrEqual(3 * tokens);
    },
  );

  it('counts every part that is sent: calls, results, tools', () => {
    const call = { id: 'call_1', name: 'read', arguments: '{"path":"a"}' };
    const tool = { name: 'read', description: 'reads', parameters: { type: 'object' as const } };
    const empty = estimateRequest([]);
    const asked = estimateRequest([{ role: 'assistant', content: '', tool_calls: [call] }]);
    const answered = estimateRequest([
      { role: 'tool', tool_call_id: 'call_1', tool_name: 'read', content: 'text' },
    ]);
    expect(empty).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(empty + 20);
    expect(answered).toBeGreaterThan(empty + 8);
    expect(estimateRequest([], [tool])).toBeGreaterThan(empty + 16);
  });

  it('takes a few milliseconds for a megabyte', () => {
    const begun = performance.now();
    estimateTokens('some words and 1234 { } '.repeat(45_000));
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

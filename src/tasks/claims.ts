// Results are checked against receipts: who says that tests pass must have run some. Pure.
import type { CallRecord } from '../domain/ports.ts';

// In three languages, the claim itself; sentences that say the opposite or only plan it do not count.
const PASS = [
  /\b(?:all\s+)?(?:the\s+)?(?:unit\s+|integration\s+|e2e\s+)?tests?\s+(?:(?:are|is|were|all|now|have|has)\s+)*(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i,
  /\b\d+\s*(?:\/\s*\d+\s*)?tests?\s+pass(?:ed|ing)?\b/i,
  /\btest\s+suite\s+(?:is\s+green|pass(?:es|ed))\b/i,
  /테스트(?:가|는|를)?\s*(?:모두|전부|다)?\s*(?:통과|성공)(?!하지)/,
  /(?:所有|全部)?\s*(?:单元|單元|集成)?(?:测试|測試)\s*(?:均|都|全部|已|已经|已經)*\s*(?:通过|通過)/,
];
const DENIED =
  /\b(?:not|n't|never|no|without|should|would|will|must|until|once|if|when|before|make|ensure|to)\b|않|못|안\s|하면|해야|되면|未|不|没|沒|若|如果|确保|應|应/i;

/** Commands that run tests, as they stand in the arguments of a shell call. */
const TEST_RUN =
  /\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?t(?:est)?\b|\bnode\s+(?:\S+\s+)*--test\b|\b(?:vitest|jest|mocha|ava|pytest|tox|phpunit|rspec|ctest|playwright)\b|\bpython3?\s+-m\s+(?:pytest|unittest)\b|\b(?:go|cargo|dotnet|mvn|gradle|swift|mix|make|deno|bundle exec)\s+(?:\S+\s+)*(?:test|check)\b/i;

const TESTS_PASS = 'tests pass';

/** Claims of a result for which no receipt speaks: `calls` are the calls of the attempt, ended ones. */
export function unverifiedClaims(text: string, calls: readonly CallRecord[]): string[] {
  const claimed = text
    .split(/(?<=[.!?。！？\n])/)
    .some((sentence) => PASS.some((p) => p.test(sentence)) && !DENIED.test(sentence));
  if (!claimed) return [];
  const proven = calls.some(
    (call) => call.name === 'shell' && call.ok && TEST_RUN.test(call.arguments),
  );
  return proven ? [] : [TESTS_PASS];
}

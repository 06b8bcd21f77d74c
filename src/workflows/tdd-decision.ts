// Whether a task is done test-driven: by what it says itself, else by three criteria of which two must hold. The reasons
// are kept with the verdict. Pure.

export type TddAsk = {
  /** Title and elements of the task, any language. */
  text: string;
  /** Paths that it changes. */
  targets: readonly string[];
  /** There is a test guide, or a test runner was found. */
  has_runner: boolean;
};
export type TddDecision = { tdd: boolean; reasons: string[] };

const EXPLICIT =
  /^\s*[-*]?\s*(?:tdd\s*[:：=]\s*(true|yes|on|false|no|off)|agent\s*[:：=]\s*(tdd|coding))\s*$/im;
const NO_TESTS =
  /\b(no|without|skip(?:ping)?|don'?t (?:write|add|need)|do not (?:write|add|need)|never) (?:any |the |new |more )?(?:unit |integration )?tests?\b|\btests? (?:is|are) not (?:needed|necessary|required)|테스트\s*(?:는|가|를|코드)?\s*(?:없이|불필요|필요\s*없|하지\s*마|작성하지)|(?:不需要|不要|无需|不用|不写)(?:编写|写)?(?:任何)?测试/i;
const TEST_TERMS =
  /\b(tests?|testing|tdd|test-driven|coverage|regressions?|specs? first|assertions?)\b|테스트|커버리지|회귀|测试|覆盖率|回归/i;
const BUGFIX =
  /\b(fix(es|ed)?|bugs?|crash(es)?|defect|broken|wrong result)\b|버그|고치|오류|수정|修复|缺陷|错误/i;
const FEATURE =
  /\b(add|implement|create|support|introduce|build|new|extend|handle|validate|parse|compute|calculate)\b|추가|구현|만들|지원|新增|添加|实现|支持|创建/i;
const OTHER_KIND =
  /\b(rename|reformat|format|refactor|move files?|typo|wording|bump|upgrade)\b|이름 변경|오타|重命名|格式化|错别字/i;
const SOURCE =
  /\.(c|cc|cpp|cs|dart|ex|exs|go|h|hpp|java|js|jsx|kt|lua|mjs|cjs|php|pl|py|rb|rs|scala|sh|swift|ts|tsx|vue|svelte)$/i;
const PASSIVE =
  /\.(md|mdx|txt|rst|adoc|json|jsonc|ya?ml|toml|ini|cfg|conf|env|lock|css|scss|less|svg|png|jpe?g|html?)$|(^|\/)(LICENSE|Dockerfile|Makefile|\.[\w.-]+)$/i;

const isSource = (path: string): boolean =>
  SOURCE.test(path) && !/\.config\.[cm]?[jt]s$/i.test(path);
const isPassive = (path: string): boolean => !isSource(path);

export function decideTdd({ text, targets, has_runner }: TddAsk): TddDecision {
  const explicit = EXPLICIT.exec(text);
  if (explicit) {
    const word = (explicit[1] ?? explicit[2] ?? '').toLowerCase();
    const tdd = ['true', 'yes', 'on', 'tdd'].includes(word);
    return { tdd, reasons: [`explicit: ${explicit[0].trim()}`] };
  }
  if (NO_TESTS.test(text)) return { tdd: false, reasons: ['veto: the task wants no tests'] };
  if (targets.length > 0 && targets.every(isPassive)) {
    const kinds = targets.every((t) => PASSIVE.test(t))
      ? 'documents, configuration or style'
      : 'no code';
    return { tdd: false, reasons: [`veto: the targets are ${kinds}`] };
  }
  const terms = TEST_TERMS.exec(text)?.[0];
  const kind = OTHER_KIND.test(text)
    ? null
    : BUGFIX.test(text)
      ? 'bugfix'
      : FEATURE.test(text)
        ? 'feature'
        : null;
  const source = targets.find(isSource);
  const criteria: [boolean, string, string][] = [
    [terms !== undefined, `names tests: "${terms}"`, 'names no tests'],
    [
      kind !== null && source !== undefined,
      `${kind} in code: ${source}`,
      kind === null ? 'neither feature nor bugfix' : 'no code among its targets',
    ],
    [has_runner, 'the project can run tests', 'no test guide and no test runner'],
  ];
  const held = criteria.filter(([holds]) => holds).length;
  return {
    tdd: held >= 2,
    reasons: criteria.map(([holds, yes, no]) => (holds ? `+ ${yes}` : `- ${no}`)),
  };
}

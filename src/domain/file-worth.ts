// How much a file is worth remembering, by its name and size alone. Pure; the same for the rules that propose files
// and for the confidence in what an agent proposes.

const WORTH: readonly [words: RegExp, score: number, kind: string][] = [
  [
    /(?:^|[/_.-])(?:specs?|specification|plan|prd|adr|rfc|architecture|requirements?|decisions?|design)(?:[/_.-]|\d|$)/i,
    120,
    'a plan, specification or decision',
  ],
  [/(?:^|[/_.-])(?:readme|api|openapi|contracts?|schema)(?:[/_.-]|$)/i, 90, 'a contract or readme'],
  [/(?:[._-](?:test|spec)\.|(?:^|\/)(?:tests?|__tests__)\/|(?:^|\/)test_)/i, 80, 'a test'],
  [
    /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|rb|php|cs|c|h|cc|cpp|sql|sh|vue|svelte)$/i,
    40,
    'source code',
  ],
];
const NEVER =
  /(?:^|\/)(?:node_modules|\.git|\.troupe|dist|build|coverage|__pycache__|\.cache|\.venv)\/|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|poetry\.lock|go\.sum)$|\.(?:log|lock|tmp|map|pyc)$/i;
/** Larger than this is seldom something that a person wrote to be read. */
const LARGE = 200_000;

/** At most 120; below zero: not worth it. `size` in bytes, when it is known. */
export function worthOf(path: string, size = 0): { score: number; kind: string } {
  const [, base, kind] = WORTH.find(([words]) => words.test(path)) ?? [null, 0, 'a file'];
  const never = NEVER.test(path) ? -500 : 0;
  return { score: base + never + (size > LARGE ? -50 : 0), kind };
}

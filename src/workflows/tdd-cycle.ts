// One cycle of test-driven work: red, green, refactor. Judges what the runtime's own run of the tests has shown; an
// agent's word counts for nothing here. Pure.

export const PHASES = ['red', 'green', 'refactor'] as const;
export type Phase = (typeof PHASES)[number];

export const VERDICTS = [
  'PASS',
  'TDD_VIOLATION',
  'IMPLEMENTATION_INCOMPLETE',
  'COVERAGE_BELOW_THRESHOLD',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Percent. */
export type Coverage = { lines: number; branches: number; functions: number };
export const LEAST_COVERAGE: Coverage = { lines: 80, branches: 75, functions: 90 };
/** Checks of one phase that may go wrong; then the work stops and is reported. */
export const MOST_ROUNDS = 3;

export type Ran = {
  /** null: it was stopped, or never ran. */
  exit_code: number | null;
  output: string;
  /** Of test files, by path. */
  hashes: Readonly<Record<string, string>>;
  coverage: Coverage | null;
};
export type Receipt = Ran & {
  phase: Phase;
  verdict: Verdict;
  reason: string;
  command: string;
  duration_ms: number;
  at: string;
};
export type Cycle = { receipts: Receipt[] } & Record<Phase, Receipt | null>;

const NOTHING_RAN =
  /\bno tests? (?:files? )?(?:found|ran|were run|to run)|\bcollected 0 items|\bno test suites? found|\b0 tests? (?:ran|passed|executed)|\btests 0\b|\brunning 0 tests\b(?![\s\S]*running [1-9])|no test files/i;

/** The last check of each phase since the last cycle that reached green began anew. */
export function cycleOf(receipts: readonly Receipt[]): Cycle {
  let cycle: Receipt[] = [];
  for (const receipt of receipts) {
    const green = cycle.some((r) => r.phase === 'green' && r.verdict === 'PASS');
    if (receipt.phase === 'red' && green) cycle = [];
    cycle.push(receipt);
  }
  const last = (phase: Phase) => cycle.findLast((r) => r.phase === phase) ?? null;
  return { receipts: cycle, red: last('red'), green: last('green'), refactor: last('refactor') };
}

/** Why this phase cannot be checked now; null: it can. */
export function refusePhase(phase: Phase, receipts: readonly Receipt[]): string | null {
  const cycle = cycleOf(receipts);
  const begins = phase === 'red' && cycle.green?.verdict === 'PASS';
  const before = phase === 'red' ? null : phase === 'green' ? 'red' : 'green';
  if (before && cycle[before]?.verdict !== 'PASS')
    return `the phase "${phase}" comes after "${before}", which has not passed`;
  const wrong = cycle.receipts.filter((r) => r.phase === phase && r.verdict !== 'PASS').length;
  if (!begins && wrong >= MOST_ROUNDS)
    return `the phase "${phase}" has gone wrong ${wrong} times; stop here and report where it stands`;
  return null;
}

function changedTests(red: Receipt | null, now: Ran['hashes']): string[] {
  return Object.entries(red?.hashes ?? {})
    .filter(([path, hash]) => now[path] !== hash)
    .map(([path]) => path);
}

const tooLow = (coverage: Coverage): string[] =>
  (['lines', 'branches', 'functions'] as const)
    .filter((kind) => coverage[kind] < LEAST_COVERAGE[kind])
    .map((kind) => `${kind} ${coverage[kind]} %, at least ${LEAST_COVERAGE[kind]} % is needed`);

/** What a run of the tests means in this phase. */
export function judge(
  phase: Phase,
  ran: Ran,
  receipts: readonly Receipt[],
): { verdict: Verdict; reason: string } {
  const violation = (reason: string) => ({ verdict: 'TDD_VIOLATION' as const, reason });
  const { exit_code, output, hashes, coverage } = ran;
  if (Object.keys(hashes).length === 0) return violation('there is no test file');
  if (exit_code === null) return violation('the tests did not end by themselves');
  if (exit_code === 126 || exit_code === 127)
    return violation('the command of the tests cannot be run');
  if (NOTHING_RAN.test(output)) return violation('no test ran');
  if (phase === 'red')
    return exit_code === 0
      ? violation(
          'the tests pass before the code is written; a test that passes now proves nothing',
        )
      : { verdict: 'PASS', reason: `the tests fail, as they must (exit code ${exit_code})` };
  const changed = changedTests(cycleOf(receipts).red, hashes);
  if (changed.length > 0)
    return violation(`tests were changed after they had failed: ${changed.join(', ')}`);
  if (exit_code !== 0)
    return {
      verdict: 'IMPLEMENTATION_INCOMPLETE',
      reason: `the tests fail (exit code ${exit_code})`,
    };
  const low = coverage ? tooLow(coverage) : [];
  if (low.length > 0) return { verdict: 'COVERAGE_BELOW_THRESHOLD', reason: low.join('; ') };
  return { verdict: 'PASS', reason: 'the same tests pass that failed before' };
}

/** A cycle as it is reported: each phase by its last check. */
export function summaryOf(receipts: readonly Receipt[]) {
  const cycle = cycleOf(receipts);
  const phase = (r: Receipt | null) =>
    r && { verdict: r.verdict, reason: r.reason, exit_code: r.exit_code, at: r.at };
  const done = cycle.green?.verdict === 'PASS' && (cycle.refactor?.verdict ?? 'PASS') === 'PASS';
  return {
    status: done ? 'completed' : 'open',
    verdict: done ? 'PASS' : 'FAIL',
    phases: { red: phase(cycle.red), green: phase(cycle.green), refactor: phase(cycle.refactor) },
    coverage: cycle.refactor?.coverage ?? cycle.green?.coverage ?? null,
    rounds: cycle.receipts.length,
    total_duration_ms: cycle.receipts.reduce((sum, r) => sum + r.duration_ms, 0),
  };
}

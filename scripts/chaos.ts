// `npm run chaos -- --seconds N --seed S [--rate R] [--json]`: the built product under kills and freezes at random.
// Exit 0: every promise held and every kind of fault met work. Exit 1: a breach, with the evidence.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './chaos/run.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    /** Pieces of work a second: about what two cores do between the faults. */
    rate: { type: 'string', default: '2.5' },
    'max-subagents': { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
function number(name: 'seconds' | 'seed' | 'rate' | 'max-subagents', least: number): number {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(`--${name} ${values[name]}: it must be a number of at least ${least}`);
  process.exit(2);
}
const counts = (of: Record<string, number>): string =>
  Object.entries(of)
    .map(([name, n]) => `${name.replaceAll('_', ' ')} ${n}`)
    .join(', ');

function print(report: ChaosReport): void {
  const { tally } = report;
  console.log(`seed ${report.seed}, ${report.seconds} s of faults`);
  console.log(`faults: ${counts(report.faults)}`);
  console.log(`  while runs were at work: ${counts(report.faults_at_work)}`);
  console.log(`  main was killed while: ${counts(report.main_killed_while)}`);
  const { count, slowest_ms } = report.main_starts;
  console.log(`main started ${count} times, the slowest in ${slowest_ms} ms`);
  console.log(`what a killed main had started was gone after ${report.slowest_end_ms} ms at most`);
  console.log(`clients: ${tally.acknowledged} acknowledged, ${counts(report.acts)}`);
  const share = (tally.completed_share * 100).toFixed(1);
  console.log(
    `ends: completed ${tally.completed}, cancelled ${tally.cancelled}, failed ${tally.failed}; ${share} % of what nobody cancelled is completed`,
  );
  for (const line of tally.failures.slice(0, 20)) console.log(`  ${line}`);
  console.log(
    `rows: ${report.tasks} tasks, ${report.attempts} attempts, ${report.events} events; readers connected ${report.reader_connections} times`,
  );
  console.log(`after the last fault everything had ended in ${report.drained_in_ms} ms`);
}

const args = ['--import', 'tsx', 'scripts/build.ts', '--if-stale'];
if (spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
// Called off: main is a process of its own and has to be ended too, which the exit does.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130));
const report = await runChaos({
  seconds: number('seconds', 1),
  seed: number('seed', 0),
  rate: number('rate', 0.1),
  max_subagents: number('max-subagents', 1),
});
if (values.json) console.log(JSON.stringify(report, null, 2));
else print(report);
for (const breach of report.breaches) console.error(`\nBREACH ${breach}`);
if (report.breaches.length > 0) console.error(`\nthe state folder is kept: ${report.folder}`);
else if (!values.json) console.log('every promise held');
process.exit(report.breaches.length > 0 ? 1 : 0);

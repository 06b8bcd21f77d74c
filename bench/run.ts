// `npm run bench [-- NAME … --runs N --json]`: measures the built product against floors in the same run.
// Sides take turns, so that a slow minute of the machine hits all of them; the first rounds are thrown away.
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { accept } from './accept.ts';
import { brain } from './brain.ts';
import { coldStart } from './cold-start.ts';
import { liveness } from './liveness.ts';
import { type Benchmark, quantile, type Row, rowsOf, type Samples, tableOf } from './measure.ts';
import { memory } from './memory.ts';
import { noopRun } from './noop-run.ts';

const benchmarks: Record<string, Benchmark> = {
  'cold-start': coldStart,
  memory,
  accept,
  'noop-run': noopRun,
  brain,
  liveness,
};

/** Median milliseconds of one fsync in this folder: it decides what "durable" costs here. */
function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w');
  const times = Array.from({ length: 50 }, () => {
    const since = performance.now();
    writeSync(file, 'x');
    fsyncSync(file);
    return performance.now() - since;
  });
  closeSync(file);
  return quantile(times, 0.5);
}

const machine = (folder: string): string =>
  [
    `Node ${process.versions.node}`,
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${process.platform} ${release()}`,
    `fsync ${fsyncMs(folder).toFixed(2)} ms`,
  ].join(', ');

async function measure(bench: Benchmark, runs: number, folder: string): Promise<Row[]> {
  const open = [];
  const samples: Samples = [];
  try {
    for (const [at, side] of bench.sides.entries()) {
      const own = join(folder, String(at));
      mkdirSync(own);
      open.push({ side: side.name, subject: await side.open(own) });
    }
    for (let round = -bench.warmup; round < runs; round += 1)
      for (const { side, subject } of open) {
        const readings = await subject.once();
        if (round >= 0) samples.push({ side, readings });
      }
  } finally {
    for (const { subject } of open) await subject.close();
  }
  return rowsOf(samples, bench.sides[0]?.name ?? '');
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, runs: { type: 'string' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0)
  throw new Error(
    `no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`,
  );

mkdirSync('.tmp', { recursive: true });
const folder = mkdtempSync(resolve('.tmp', 'bench-'));
try {
  const report = { machine: machine(folder), benchmarks: {} as Record<string, Row[]> };
  if (!flags.json) console.log(report.machine);
  for (const [name, bench] of Object.entries(benchmarks)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const own = join(folder, name);
    mkdirSync(own);
    const rows = await measure(bench, Number(flags.runs ?? bench.runs), own);
    report.benchmarks[name] = rows;
    if (!flags.json) console.log(`\n${name}: ${bench.what}\n${tableOf(rows)}`);
  }
  if (flags.json) console.log(JSON.stringify(report, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// What a benchmark is, and the figures over its samples. Runs nothing.

/** One reading. Sides that give the same name are compared with each other. */
export type Reading = { name: string; unit: 'ms' | 'per s' | 'MiB'; value: number };

/** One of the things that are compared, ready to be measured any number of times. */
export type Subject = { once(): Promise<Reading[]>; close(): Promise<unknown> };
export type Side = { name: string; open(folder: string): Promise<Subject> };

export type Benchmark = {
  /** One sentence: what is measured, from where to where. */
  what: string;
  runs: number;
  warmup: number;
  /** The first side is the floor. */
  sides: Side[];
};

export type Row = {
  side: string;
  measure: string;
  unit: Reading['unit'];
  n: number;
  median: number;
  p90: number;
  /** Median by the floor's median of the same run: of the same name, else of its first measure. */
  ratio: number;
};

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export type Samples = { side: string; readings: Reading[] }[];

export function rowsOf(samples: Samples, floor: string): Row[] {
  const groups = new Map<string, { side: string; reading: Reading; values: number[] }>();
  for (const { side, readings } of samples)
    for (const reading of readings) {
      const key = `${side}\n${reading.name}`;
      const group = groups.get(key) ?? { side, reading, values: [] };
      group.values.push(reading.value);
      groups.set(key, group);
    }
  const all = [...groups.values()];
  const floors = all.filter((group) => group.side === floor);
  return all.map(({ side, reading, values }) => {
    const against = floors.find((group) => group.reading.name === reading.name) ?? floors[0];
    const median = quantile(values, 0.5);
    return {
      ...{ side, measure: reading.name, unit: reading.unit, n: values.length, median },
      p90: quantile(values, reading.unit === 'per s' ? 0.1 : 0.9),
      ratio: against ? median / quantile(against.values, 0.5) : Number.NaN,
    };
  });
}

const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

export function tableOf(rows: Row[]): string {
  const head = ['side', 'measure', 'unit', 'n', 'median', 'p90', '× floor'];
  const body = rows.map((row) => [
    ...[row.side, row.measure, row.unit, String(row.n)],
    ...[figure(row.median), figure(row.p90), row.ratio.toFixed(2)],
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((r) => r[at]?.length ?? 0)));
  const line = (cells: string[]): string =>
    cells
      .map((c, at) => (at < 3 ? c.padEnd(widths[at] ?? 0) : c.padStart(widths[at] ?? 0)))
      .join('  ');
  return [head, ...body].map(line).join('\n');
}

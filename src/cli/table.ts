// Rows of text as a table. Pure. Ids are never cut: only columns marked `cut` give way to the width.
import { cleanLine, cut, displayWidth, pad } from './clean.ts';

export type Column<T> = {
  title: string;
  value(row: T): string | number | null | undefined;
  /** A description: may be shortened to fit the terminal. */
  cut?: boolean;
};

const GAP = 2;
/** Below this a description says nothing; the line is then longer than the terminal. */
const LEAST = 12;

function shrink(natural: number[], cuttable: boolean[], columns: number): number[] {
  const over = natural.reduce((sum, w) => sum + w + GAP, -GAP) - columns;
  if (over <= 0) return natural;
  const soft = natural.filter((_, i) => cuttable[i]).reduce((sum, w) => sum + w, 0);
  return natural.map((w, i) =>
    cuttable[i] ? Math.max(Math.min(w, LEAST), w - Math.ceil((over * w) / Math.max(1, soft))) : w,
  );
}

/** `columns`: width of the terminal, or null for no limit. The first line is the header. */
export function tableLines<T>(
  rows: readonly T[],
  spec: Column<T>[],
  columns: number | null,
): string[] {
  const cells = rows.map((row) => spec.map(({ value }) => cleanLine(String(value(row) ?? '–'))));
  const all = [spec.map(({ title }) => title), ...cells];
  const natural = spec.map((_, i) =>
    all.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? '')), 0),
  );
  const cuttable = spec.map((c) => c.cut === true);
  const widths = columns === null ? natural : shrink(natural, cuttable, columns);
  return all.map((row) =>
    row
      .map((cell, i) => pad(cut(cell, widths[i] ?? 0), widths[i] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** `name  value` lines, values aligned; a value of several lines is indented below its name. */
export function fieldLines(fields: [string, string | number | null | undefined][]): string[] {
  const present = fields.filter(([, v]) => v !== null && v !== undefined && v !== '');
  const width = Math.max(0, ...present.map(([name]) => displayWidth(name)));
  return present.map(([name, value]) => `${pad(name, width)}  ${cleanLine(String(value))}`);
}

/** A value of any shape as text: nothing is a dash, lists and tables are JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? '–'
      : JSON.stringify(value);

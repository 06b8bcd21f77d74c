// What a task for a coder says about itself in its first lines (Feature, Change, Tasks), which boxes it may take, and
// which of them its report calls undone. Pure.
import type { Box } from './boxes.ts';
import { allBefore } from './order.ts';
import { isKebab } from './paths.ts';

export type Dispatch = { feature: string | null; change: string | null; tasks: string[] };

export const MOST_TASKS = 10;
const NUMBER = /\d+(?:\.\d+)*/g;

const lineOf = (text: string, name: string): string | null =>
  new RegExp(`^\\s*(?:[-*]\\s+)?${name}\\s*[:：]\\s*(.+?)\\s*$`, 'im').exec(text)?.[1] ?? null;

const named = (value: string | null): string | null => {
  const name = value?.replace(/^[`"']+|[`"'.]+$/g, '') ?? '';
  return isKebab(name) ? name : null;
};

export function readDispatch(description: string): Dispatch {
  const path = /\.cospec\/plan\/changes\/([a-z0-9-]+)/.exec(description)?.[1] ?? null;
  const spec = /\.cospec\/spec\/([a-z0-9-]+)/.exec(description)?.[1] ?? null;
  const tasks = lineOf(description, 'Tasks?')?.match(NUMBER) ?? [];
  return {
    feature: named(lineOf(description, 'Feature')) ?? named(spec),
    change: named(lineOf(description, 'Change')) ?? named(path),
    tasks: [...new Set(tasks)],
  };
}

export type BoxesAsk = {
  /** Of the file that holds the boxes. */
  path: string;
  boxes: readonly Box[];
  tasks: readonly string[];
  /** Boxes in the hands of coders that are at work. */
  taken: ReadonlySet<string>;
};

/** Why these boxes may not be handed out now; null: they may. Boxes that depend on each other never overlap. */
export function refuseBoxes({ path, boxes, tasks, taken }: BoxesAsk): string | null {
  const left = boxes.filter((b) => !b.ticked).map((b) => b.number);
  const open = `open in ${path}: ${left.join(', ') || 'none'}`;
  if (tasks.length === 0)
    return `the description names no tasks; it has a line "Tasks: 1, 2" with numbers (${open})`;
  if (tasks.length > MOST_TASKS)
    return `${tasks.length} tasks for one coder; at most ${MOST_TASKS} are allowed`;
  for (const number of tasks) {
    const box = boxes.find((b) => b.number === number);
    if (!box) return `there is no task ${number} (${open})`;
    if (box.ticked) return `task ${number} is done (${open})`;
    if (taken.has(number)) return `task ${number} is in the hands of another coder`;
    for (const before of allBefore(number, boxes)) {
      if (tasks.includes(before)) continue;
      if (boxes.some((b) => b.number === before && !b.ticked))
        return `task ${number} depends on ${before}, which is not done; give both to one coder or wait`;
    }
  }
  return null;
}

const UNDONE = /^\W*(not done|blocked|undone|미완료|막힘|未完成|阻塞)\W*?(?:[:：]|$)/i;
const OTHER_PART = /^\W*(done|완료|已完成|完成)\W*?(?:[:：]|$)/i;

/** Numbers, of those that were handed out, that the coder's own report calls not done or blocked. */
export function undoneIn(report: string, tasks: readonly string[]): Set<string> {
  const undone = new Set<string>();
  let inside = false;
  for (const line of report.split('\n')) {
    if (UNDONE.test(line)) inside = true;
    else if (OTHER_PART.test(line) || /^#{1,6}\s/.test(line)) inside = false;
    if (inside) for (const n of line.match(NUMBER) ?? []) if (tasks.includes(n)) undone.add(n);
  }
  return undone;
}

// Boxes are ticked by the runtime: those that were ticked when the query began, and those whose run has ended well.
// Every other tick is taken back. Repeating it changes nothing, so a crash in between is repaired by the next time.
import type { Store } from '../../domain/ports.ts';
import type { Query } from '../../domain/query.ts';
import { boxesOf, withTicks } from '../../workflows/boxes.ts';
import { codersOf, doneOf } from './coders.ts';
import { tickedFiles } from './documents.ts';
import { readText, setText } from './files.ts';
import { noteWorkflow, openedOf, type Ticked } from './log.ts';

const tickedIn = (text: string): string[] =>
  boxesOf(text)
    .filter((b) => b.ticked)
    .map((b) => b.number);

/** What is ticked now, by path. */
export async function ticksNow(workdir: string): Promise<Ticked> {
  const found: Ticked = {};
  for (const { path } of await tickedFiles(workdir)) {
    const file = await readText(workdir, path);
    const numbers = file ? tickedIn(file.text) : [];
    if (numbers.length > 0) found[path] = numbers;
  }
  return found;
}

export async function setTicks(store: Store, query: Query): Promise<void> {
  const opened = await openedOf(store.reads, query.query_id);
  if (!opened) return;
  const coders = codersOf(await store.reads.tasks.ofQuery(query.query_id));
  for (const { path, name } of await tickedFiles(query.workdir)) {
    const file = await readText(query.workdir, path);
    if (!file) continue;
    const done = new Set([...(opened.ticked[path] ?? []), ...doneOf(coders, name)]);
    const text = withTicks(file.text, done);
    if (text === file.text || !(await setText(query.workdir, path, text, file))) continue;
    const [before, after] = [tickedIn(file.text), tickedIn(text)];
    const ticked = after.filter((n) => !before.includes(n));
    const cleared = before.filter((n) => !after.includes(n));
    const detail = [
      ticked.length > 0 ? `ticked ${ticked.join(', ')}` : '',
      cleared.length > 0 ? `took back ${cleared.join(', ')}, which no run has done` : '',
    ];
    await noteWorkflow(store, query.query_id, {
      state: 'ticked',
      detail: `${path}: ${detail.filter(Boolean).join('; ')}`,
      data: { path, ticked, cleared },
    });
  }
}

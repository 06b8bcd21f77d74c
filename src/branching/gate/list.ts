// Lists: lines with marks before them, or numbers inside a line. Each item may be a request of its own.
import { type Clause, readClause } from '../../language/clause/index.ts';
import { type Asked, relationOf } from './relations.ts';
import type { GateReason } from './verdict.ts';

/** Positions in the text; `lead` ends where the first item begins, `rest` begins where the last one ends. */
export type Item = { start: number; end: number };
export type List = { items: Item[]; lead: number; rest: number };

const MARK =
  /^([ \t]*)(?:\d{1,3}(?:[.)](?=[ \t])|[.)](?=[^\d\s])|[、:][ \t]*)|[-*•·+–](?=[ \t])|[①-⑳]|[(]\d{1,2}[)]|[a-h][.)](?=[ \t])|[一二三四五六七八九十]{1,2}[、.]|(?:첫|둘|셋|넷)째[,.:]?)[ \t]*(?:\[[ x]\][ \t]*)?(?=\S)/;
const INLINE = /(?<=^|[\s:,;、。])(?:[(]([1-9])[)]|([1-9])[.)、](?=\D))[ \t]*|([①-⑨])[ \t]*/g;

function ofLines(read: string): List | null {
  const items: Item[] = [];
  let lead = 0;
  let indent = 0;
  let rest = read.length;
  let at = 0;
  let open = false;
  for (const line of read.split('\n')) {
    const mark = MARK.exec(line);
    const deep = mark?.[1]?.length ?? /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const last = items.at(-1);
    if (mark && (items.length === 0 || (open && deep <= indent))) {
      if (items.length === 0) {
        lead = at;
        indent = deep + 1;
      }
      items.push({ start: at + mark[0].length, end: at + line.length });
      open = true;
    } else if (last && open && (deep > 0 || mark) && line.trim() !== '')
      last.end = at + line.length;
    // A line at the margin ends the list; an empty one may stand between items.
    else if (items.length > 0 && open && line.trim() !== '') {
      open = false;
      rest = at;
    }
    at += line.length + 1;
  }
  return items.length >= 2 ? { items, lead, rest } : null;
}

function ofNumbers(read: string): List | null {
  const marks = [...read.matchAll(INLINE)].map((m) => ({
    number: Number(m[1] ?? m[2] ?? (m[3]?.charCodeAt(0) ?? 0) - 0x245f),
    at: m.index,
    after: m.index + m[0].length,
  }));
  if (marks.length < 2 || !marks.every(({ number }, i) => number === i + 1)) return null;
  const items = marks.map(({ after }, i) => ({
    start: after,
    end: marks[i + 1]?.at ?? read.length,
  }));
  return { items, lead: marks[0]?.at ?? 0, rest: read.length };
}

export const listIn = (read: string): List | null => ofLines(read) ?? ofNumbers(read);

const IN_ORDER =
  /\b(?:steps?|in (?:this|that|the following|the given) order|in order|order below|sequence|one by one|one after)\b|순서|단계|차례|步骤|顺序|依次|逐步/;
/** "Do the following": the items are the work. */
const OPENS_LIST =
  /\b(?:following|below|these|tasks?|things|items|todos?|to-dos?|jobs?|issues|bugs|work|plan for today|as follows)\b|다음|아래|할 일|작업|업무|以下|下列|下面|如下|这些|任务|事项|待办|工作/;
/** Verbs that do the same to each thing of a list, one independent of the other. */
const EACH =
  /^(?:fix|resolve|solve|refactor|implement|investigate|修复|解决|重构|实现|调查|수정|구현|해결)/;

export type ListVerdict = {
  reason: GateReason;
  mode: 'parallel' | 'sequential' | 'dependent' | 'single';
  /** The items are things that the lead works on: it belongs to each part. */
  lead: boolean;
};

const requests = (clauses: readonly Clause[]): boolean =>
  clauses.every(({ kind, short, object }) => kind === 'request' && !(short && object.length === 0));

/** `lead`: what stands before the list, folded and masked. */
export function judgeList(read: string, { items, lead, rest }: List): ListVerdict {
  const before = read.slice(0, lead).trim();
  const opener = before.split(/\n|(?<=[.!?。])\s+/).at(-1) ?? '';
  const head = readClause(opener.replace(/[:]\s*$/, ''));
  const clauses = items.map(({ start, end }) => readClause(read.slice(start, end), true));
  const after = readClause(read.slice(rest, rest + 200));
  const no = (reason: GateReason): ListVerdict => ({ reason, mode: 'single', lead: false });
  if (head.kind === 'question' || /\?\s*$/.test(before)) return no('question');
  if (head.kind === 'condition') return no('condition');
  const introduces = /:\s*$/.test(before) || before === '';
  const names = head.kind === 'request' && introduces && before !== '';
  if (names && EACH.test(head.verb) && OPENS_LIST.test(opener) && !requests(clauses))
    return { reason: 'list', mode: 'parallel', lead: true };
  if (!requests(clauses)) return no('list_of_things');
  // "Build an app: - add tasks - delete tasks": the items say what the one thing is.
  if (names && (head.does.has('create') || !OPENS_LIST.test(opener))) return no('single_request');
  if (IN_ORDER.test(opener) || after.ordered)
    return { reason: 'sequential', mode: 'sequential', lead: false };
  const asked: Asked[] = clauses.map((clause) => ({ clause, weak: false }));
  const mode = relationOf(asked);
  if (mode === 'independent') return { reason: 'list', mode: 'parallel', lead: false };
  return { reason: mode, mode, lead: false };
}

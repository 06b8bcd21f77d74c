// Brings the results of branches together: in the order of the request, every branch named, nothing lost. Pure.
import type { Usage } from '../domain/message.ts';
import { addUsage, noUsage } from '../domain/message.ts';
import type { Language } from '../language/lexicon.ts';
import { BRANCH_WORDS } from './words.ts';

/** `stopped`: ended early because the others were enough. Everything but `completed` and `stopped` is a failure. */
export type BranchStatus = 'completed' | 'failed' | 'cancelled' | 'timeout' | 'stopped';

export type BranchResult = {
  index: number;
  task_id: string;
  role: string;
  goal: string;
  status: BranchStatus;
  /** Text of the outcome; also what there was when it failed. */
  summary: string;
  error: string | null;
  usage: Usage;
};
/** A note that a branch left, e.g. in the shared brain. */
export type BranchNote = { index: number; note: string };

export type Merged = {
  /** `partial`: something failed. `failed`: nothing is there to use. */
  status: 'completed' | 'partial' | 'failed';
  text: string;
  /** Each failed branch with its reason. */
  warnings: string[];
  /** In the order of the request. */
  branch_ids: string[];
  unused_notes: BranchNote[];
  usage: Usage;
};

const failed = ({ status }: BranchResult): boolean =>
  status !== 'completed' && status !== 'stopped';
const flat = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';

const reasonOf = ({ status, error }: BranchResult): string =>
  error !== null && error.trim() !== '' ? `${status}: ${error.trim()}` : status;

/** Notes whose words stand in no summary; each text once. */
function unusedNotes(notes: readonly BranchNote[], results: readonly BranchResult[]): BranchNote[] {
  const said = flat(results.map(({ summary }) => summary).join('\n'));
  const seen = new Set<string>();
  return notes.filter(({ note }) => {
    const words = flat(note);
    if (words === '' || said.includes(words) || seen.has(words)) return false;
    seen.add(words);
    return true;
  });
}

export function mergeBranches(
  results: readonly BranchResult[],
  language: Language,
  notes: readonly BranchNote[] = [],
): Merged {
  const words = BRANCH_WORDS[language];
  const ordered = [...results].sort((a, b) => a.index - b.index);
  const bad = ordered.filter(failed);
  const named = (r: BranchResult): string => `${words.branch} ${r.index + 1} (${r.role})`;
  const warnings = bad.map((r) => `${named(r)}: ${reasonOf(r)}`);
  const unused_notes = unusedNotes(notes, ordered);
  const status =
    bad.length === ordered.length ? 'failed' : bad.length > 0 ? 'partial' : 'completed';
  const sections = ordered.map((r) => {
    const summary = r.summary.trim();
    const body = failed(r) ? [reasonOf(r), summary] : [summary === '' ? words.noText : summary];
    return `## ${named(r)}: ${firstLine(r.goal)}\n\n${body.filter((line) => line !== '').join('\n\n')}`;
  });
  const head = {
    failed:
      ordered.length === 0 ? words.noResults : `${words.allFailed}:\n- ${warnings.join('\n- ')}`,
    partial: `${words.failed(bad.length, ordered.length)}\n- ${warnings.join('\n- ')}`,
    completed: '',
  }[status];
  const left = unused_notes.map(
    ({ index, note }) => `- ${words.branch} ${index + 1}: ${note.trim()}`,
  );
  const tail = left.length === 0 ? '' : `## ${words.unused}\n\n${left.join('\n')}`;
  return {
    status,
    text: [head, ...sections, tail].filter((part) => part !== '').join('\n\n'),
    warnings,
    branch_ids: ordered.map(({ task_id }) => task_id),
    unused_notes,
    usage: ordered.reduce((sum, { usage }) => addUsage(sum, usage), noUsage()),
  };
}

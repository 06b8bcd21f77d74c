// Evidence of a proposal, held against the file: what the file says there counts, not what the agent says it says.
// Pure.
import { type Evidence, PROPOSAL_LIMITS } from '../../domain/proposal.ts';
import { cutTo } from './cut.ts';
import type { Claim } from './parse.ts';

/** Lines of one piece of evidence: a place to look at, not the file over again. */
const MOST_LINES = 40;
/** A quote shorter than this stands everywhere. */
const LEAST_QUOTE = 3;

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Text of a file that can be searched without regard to its white space, and the line of each position. */
export type Lines = { path: string; lines: readonly string[]; joined: string; starts: number[] };

export function linesOf(path: string, text: string): Lines {
  const lines = text.split(/\r?\n/);
  const starts: number[] = [];
  let joined = '';
  for (const line of lines) {
    starts.push(joined.length);
    const said = flat(line);
    if (said !== '') joined += `${said} `;
  }
  return { path, lines, joined, starts };
}

/** Number (from 1) of the line that holds this position of `joined`. */
function lineAt({ starts }: Lines, position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= position) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

const placed = (file: Lines, from: number, to: number): Evidence | null => {
  const quote = file.lines
    .slice(from - 1, to)
    .join('\n')
    .trim();
  return quote === '' ? null : { path: file.path, from, to, quote };
};

/** The lines that bear the claim out, or null when the file does not say so. */
export function evidenceFor(claim: Claim, file: Lines): Evidence | null {
  const first = claim.from;
  const last = Math.min(claim.to ?? first ?? 0, (first ?? 0) + MOST_LINES - 1);
  // What an agent leaves out of a quote it marks: the longest part counts.
  const parts = claim.quote.slice(0, 2 * PROPOSAL_LIMITS.quote).split(/…|\.\.\./);
  const quote = parts.map(flat).reduce((a, b) => (b.length > a.length ? b : a), '');
  if (quote === '') {
    const known = first !== null && first <= file.lines.length && last >= first;
    return known ? placed(file, first, Math.min(last, file.lines.length)) : null;
  }
  if (quote.length < LEAST_QUOTE) return null;
  if (first !== null && flat(file.lines.slice(first - 1, last).join(' ')).includes(quote))
    return placed(file, first, Math.min(last, file.lines.length));
  // The words stand, only not where they were said to.
  const at = file.joined.indexOf(quote);
  if (at < 0) return null;
  return placed(file, lineAt(file, at), lineAt(file, at + quote.length - 1));
}

/** `clean`: takes out what people may not or cannot see. */
export const shown = (evidence: Evidence, clean: (text: string) => string): Evidence => ({
  ...evidence,
  quote: cutTo(clean(evidence.quote), PROPOSAL_LIMITS.quote),
});

// Proposals for memory at the command line: how they are shown, and what a person's words make of them. Pure.
import type { Proposal } from '../domain/proposal.ts';
import { CliError, EXIT } from './exit.ts';

const percent = (confidence: number): string => `${Math.round(confidence * 100)} %`;

/** One proposal in lines; `number` from 1. */
function linesOf(item: Proposal, number: number): string[] {
  const { path, layer, confidence, confidence_why, rationale, note, evidence, file_size } = item;
  const quotes = evidence.flatMap(({ path: file, from, to, quote }) => {
    const where = from === to ? `${file}:${from}` : `${file}:${from}-${to}`;
    return [`   ${where}`, ...quote.split('\n').map((line) => `   | ${line}`)];
  });
  return [
    `${number}  ${path}  [${layer}]  confidence ${percent(confidence)} (${confidence_why.join('; ')})`,
    ...(rationale ? [`   why: ${rationale}`] : []),
    ...(note || `(no note: the text of the file, ${file_size} bytes)`)
      .split('\n')
      .map((line) => `   ${line}`),
    ...quotes,
  ];
}

export const proposalsText = (items: readonly Proposal[]): string =>
  items.map((item, i) => linesOf(item, i + 1).join('\n')).join('\n\n');

export type Changes = {
  /** Paths of those that are approved; the others are rejected. */
  only?: string[];
  /** `PATH=VALUE` each. */
  layer?: string[];
  note?: string[];
  rationale?: string[];
  reason?: string;
};
export const changesSomething = ({ only, layer, note, rationale }: Changes): boolean =>
  [only, layer, note, rationale].some((given) => given !== undefined);

const usage = (message: string, items: readonly Proposal[]): CliError =>
  new CliError(
    EXIT.usage,
    'unknown_path',
    message,
    `the proposals are ${items.map(({ path }) => path).join(', ')}`,
  );

/** The body of a decision that approves. Throws when a path is named that is not proposed. */
export function approvalOf(items: readonly Proposal[], given: Changes): object {
  const { only, reason } = given;
  const changed = new Map<string, Record<string, string>>();
  for (const key of ['layer', 'note', 'rationale'] as const)
    for (const pair of given[key] ?? []) {
      const path = items.find((item) => pair.startsWith(`${item.path}=`))?.path;
      if (path === undefined) throw usage(`--${key} "${pair}" is not PATH=VALUE`, items);
      changed.set(path, { ...changed.get(path), [key]: pair.slice(path.length + 1) });
    }
  for (const path of only ?? [])
    if (!items.some((item) => item.path === path)) throw usage(`"${path}" is not proposed`, items);
  const left = [...changed.keys()].find((path) => only !== undefined && !only.includes(path));
  if (left !== undefined) throw usage(`"${left}" is changed, but not among --only`, items);
  const named = only ?? [...changed.keys()];
  return {
    decision: only === undefined ? 'approve' : 'reject',
    ...(reason === undefined ? {} : { reason }),
    items: [...new Set(named)].map((path) => ({
      ...{ path, decision: 'approve', ...changed.get(path) },
    })),
  };
}

/** What was typed at a prompt: yes or no to all, or the numbers of those that are approved. Null: neither. */
export function typedDecision(items: readonly Proposal[], typed: string): object | null {
  const text = typed.trim().toLowerCase();
  if (text === 'y' || text === 'yes') return { decision: 'approve' };
  if (text === 'n' || text === 'no') return { decision: 'reject' };
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const picked = words.map((word) =>
    /^\d{1,2}$/.test(word) ? items[Number(word) - 1] : undefined,
  );
  if (picked.length === 0 || picked.some((item) => item === undefined)) return null;
  return approvalOf(items, { only: picked.flatMap((item) => item?.path ?? []) });
}

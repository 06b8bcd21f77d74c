// The text of a record that a person has approved: where it comes from, then what is remembered. Pure.
import type { Layer } from '../../domain/memory.ts';
import { PROPOSAL_LIMITS } from '../../domain/proposal.ts';
import { cutTo } from './cut.ts';

/** Who stored it, as the record says. */
export const APPROVED_SOURCE = 'remember_agent_human_approved';

export type Approved = { path: string; layer: Layer; rationale: string; note: string };

/** `file_text`: of the file, for a proposal without a note. */
export function contentOf({ path, layer, rationale, note }: Approved, file_text: string): string {
  const head = [`File: ${path}`, `Layer: ${layer}`, ...(rationale ? [`Why: ${rationale}`] : [])];
  const body = note === '' ? cutTo(file_text.trim(), PROPOSAL_LIMITS.file_text) : note;
  return `${head.join('\n')}\n\n${body}`.trim();
}

export const tagsOf = (path: string, edited: boolean): string[] => [
  ...['remember_agent', path],
  ...(edited ? ['human_edited'] : []),
];

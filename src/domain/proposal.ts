// What the role `remember` proposes for long-term memory, once it has been checked against the working folder.
// Shapes and limits only.
import type { Layer } from './memory.ts';

/** The role whose answers are read as proposals. */
export const REMEMBER = 'remember';

/** Sizes in characters (code points), counts in entries. */
export const PROPOSAL_LIMITS = {
  /** Proposals of one answer. */
  most: 10,
  note: 800,
  rationale: 600,
  /** Of a file that is remembered as it is, because its note is empty. */
  file_text: 15_000,
  evidence: 5,
  quote: 300,
};

/** Lines of a file that bear out a proposal, as they stood in it when it was checked. Lines from 1, both inclusive. */
export type Evidence = { path: string; from: number; to: number; quote: string };

export type Proposal = {
  /** Relative to the working folder; where the file really is. */
  path: string;
  layer: Layer;
  rationale: string;
  /** Empty: the text of the file is remembered. */
  note: string;
  evidence: Evidence[];
  /** 0 to 1, and what it rests on. */
  confidence: number;
  confidence_why: string[];
  /** Bytes. */
  file_size: number;
};

/** What was proposed and is not put before a person. */
export type Dropped = { path: string; reason: string };

// From the answer of an agent to the proposals that a person is asked about: read, confined to the working folder, held
// against the files, cleaned. Opens files only through the reader it is given; stores nothing.
import { type Layer, layerOf } from '../../domain/memory.ts';
import { type Dropped, PROPOSAL_LIMITS, type Proposal } from '../../domain/proposal.ts';
import { oneLine } from '../../domain/text.ts';
import { visibleText } from '../../domain/visible-text.ts';
import { confidenceOf } from './confidence.ts';
import { cutTo } from './cut.ts';
import { evidenceFor, type Lines, linesOf, shown } from './evidence.ts';
import { type Refused, refusals } from './likeness.ts';
import { type Claim, type Form, parseProposals, type Raw } from './parse.ts';
import { pathIn } from './path-in.ts';

/** A file as it lies in the working folder. `text`: its first part, null when it is not text. */
export type Look = { path: string; size: number; text: string | null };
/** Opens a path below a working folder; why not, when it may not or cannot. */
export type LookAt = (workdir: string, path: string) => Promise<Look | { reason: string }>;

/** Masks secrets. */
export type Mask = (text: string) => string;

export type Drafted = {
  path: string;
  layer: Layer;
  rationale: string;
  note: string;
  claims: Claim[];
  said: number | null;
};

const DEFAULT_LAYER: Layer = 'project/context';

/** Proposals in order, each path once, at most ten; and what was left out. By words alone: no file is opened. */
export function draftsOf(
  answer: string,
  { workdir, asked = '', mask = (text) => text }: { workdir: string; asked?: string; mask?: Mask },
): { form: Form; drafts: Drafted[]; dropped: Dropped[] } {
  const { form, entries } = parseProposals(answer, asked);
  const drafts = new Map<string, Drafted>();
  const dropped: Dropped[] = [];
  for (const raw of entries) {
    const given = visibleText(raw.path);
    const { path, reason } = pathIn(workdir, given);
    const drop = (why: string): void =>
      void dropped.push({ path: oneLine(mask(given)), reason: why });
    if (reason !== undefined) drop(reason);
    else if (drafts.has(path)) drop('it is proposed already');
    else if (drafts.size >= PROPOSAL_LIMITS.most)
      drop(`it is beyond the ${PROPOSAL_LIMITS.most} that one answer may propose`);
    else drafts.set(path, drafted(path, raw, mask));
  }
  return { form, drafts: [...drafts.values()], dropped };
}

function drafted(path: string, raw: Raw, mask: Mask): Drafted {
  const text = (given: string, most: number): string => cutTo(mask(visibleText(given)), most);
  return {
    path,
    layer: layerOf(raw.layer.slice(0, 100)) ?? DEFAULT_LAYER,
    rationale: text(raw.rationale, PROPOSAL_LIMITS.rationale),
    note: text(raw.note, PROPOSAL_LIMITS.note),
    claims: raw.claims,
    said: raw.confidence,
  };
}

export type ProposeAsk = {
  answer: string;
  /** The text of the task that was answered. */
  asked: string;
  workdir: string;
  refused: readonly Refused[];
  lookAt: LookAt;
  mask: Mask;
};
export type Proposed = { form: Form; proposals: Proposal[]; dropped: Dropped[] };

export async function propose(ask: ProposeAsk): Promise<Proposed> {
  const { workdir, mask } = ask;
  const isRefused = refusals(ask.refused);
  const { form, drafts, dropped } = draftsOf(ask.answer, ask);
  const looks = new Map<string, Promise<Look | { reason: string }>>();
  const lookAt = (path: string) => {
    const look = looks.get(path) ?? ask.lookAt(workdir, path);
    looks.set(path, look);
    return look;
  };
  const proposals = new Map<string, Proposal>();
  for (const draft of drafts) {
    const look = await lookAt(draft.path);
    const drop = (reason: string): void => void dropped.push({ path: draft.path, reason });
    if ('reason' in look) drop(look.reason);
    // Links inside the folder: two names of one file are one proposal.
    else if (proposals.has(look.path)) drop('it is proposed already');
    else if (look.text === null && draft.note === '')
      drop('it is not text, and there is no note about it');
    else if (isRefused(look.path, draft.note)) drop('a person has rejected it before');
    else proposals.set(look.path, await proposal(draft, look, form, { workdir, lookAt, mask }));
  }
  return { form, proposals: [...proposals.values()], dropped };
}

async function proposal(
  draft: Drafted,
  look: Look,
  form: Form,
  {
    workdir,
    lookAt,
    mask,
  }: { workdir: string; lookAt(path: string): ReturnType<LookAt>; mask: Mask },
): Promise<Proposal> {
  const clean = (text: string): string => mask(visibleText(text));
  const claims = draft.claims.slice(0, PROPOSAL_LIMITS.evidence);
  const files = new Map<string, Lines>();
  const linesIn = async (path: string): Promise<Lines | null> => {
    const known = files.get(path);
    if (known) return known;
    const found = path === draft.path ? look : await lookAt(path);
    if ('reason' in found || found.text === null) return null;
    const lines = linesOf(found.path, found.text);
    files.set(path, lines);
    return lines;
  };
  const evidence: Proposal['evidence'] = [];
  for (const claim of claims) {
    const path = claim.path === null ? draft.path : pathIn(workdir, visibleText(claim.path)).path;
    const lines = path === undefined ? null : await linesIn(path);
    const found = lines && evidenceFor(claim, lines);
    if (found) evidence.push(shown(found, clean));
  }
  const { confidence, why } = confidenceOf({
    ...{ path: look.path, size: look.size, stands: evidence.length, claims: claims.length },
    ...{ said: draft.said, has_note: draft.note !== '', from_prose: form === 'lines' },
  });
  const { layer, rationale, note } = draft;
  const { path, size: file_size } = look;
  return { path, layer, rationale, note, evidence, confidence, confidence_why: why, file_size };
}

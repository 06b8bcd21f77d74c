// Proposals of what to remember: each is approved, changed or rejected on its own. Pure.
import { type Layer, layerOf, MEMORY_LIMITS, unknownLayer } from '../domain/memory.ts';
import type { Proposal } from '../domain/proposal.ts';
import type { MemoryDecided } from '../domain/review.ts';
import { type Given, invalid, type Kind, onlyFields, textIn } from './kind.ts';

const RATIONALE_LIMIT = 2_000;
const REASON_LIMIT = 2_000;

function layerIn({ layer: given }: Given, allowed: string): Layer | null {
  if (given === undefined || given === null) return null;
  const layer = layerOf(String(given));
  if (layer === null) throw invalid(unknownLayer(String(given)), allowed);
  return layer;
}

/** Null: as it was proposed. An empty text is one: the file itself is to be remembered. */
const changedText = (given: Given, name: string, most: number, allowed: string): string | null =>
  textIn(given, name, most, allowed) ?? (typeof given[name] === 'string' ? '' : null);

function readItem(item: Proposal, given: Given, allowed: string): MemoryDecided {
  const { path } = item;
  onlyFields(given, ['path', 'decision', 'layer', 'rationale', 'note', 'reason'], allowed);
  const reason = textIn(given, 'reason', REASON_LIMIT, allowed);
  const now = {
    layer: layerIn(given, allowed) ?? item.layer,
    rationale: changedText(given, 'rationale', RATIONALE_LIMIT, allowed) ?? item.rationale,
    note: changedText(given, 'note', MEMORY_LIMITS.content, allowed) ?? item.note,
  };
  const changed = (['layer', 'rationale', 'note'] as const).some((key) => now[key] !== item[key]);
  switch (given.decision) {
    case 'reject':
      if (changed) throw invalid(`"${path}" is rejected and changed`, allowed);
      return { path, decision: 'reject', ...now, reason };
    case 'approve':
    case 'edit':
      return { path, decision: changed ? 'edit' : 'approve', ...now, reason };
    default:
      throw invalid(`"${path}" has no decision that is known`, allowed);
  }
}

const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null;

export const memory: Kind<'memory'> = {
  outlives: true,
  title: ({ items }) =>
    `${items.length} ${items.length === 1 ? 'proposal' : 'proposals'} to remember`,
  allowed({ items }) {
    const paths = items.map(({ path }) => JSON.stringify(path)).join(', ');
    return `{"decision": "approve" | "reject", "reason"?} for all, and "items": [{"path", "decision": "approve" | "reject", "layer"?, "rationale"?, "note"?, "reason"?}] for those that it does not hold for; the paths are ${paths}`;
  },
  read(request, given) {
    const allowed = memory.allowed(request);
    onlyFields(given, ['items', 'decision', 'reason'], allowed);
    const { items: list = [], decision, reason } = given;
    if (!Array.isArray(list) || !list.every(isGiven))
      throw invalid('"items" is not a list of decisions', allowed);
    const paths = list.map(({ path }) => path);
    const unknown = paths.find((path) => !request.items.some((item) => item.path === path));
    if (unknown !== undefined)
      throw invalid(`${JSON.stringify(unknown).slice(0, 200)} is not proposed`, allowed);
    if (new Set(paths).size !== paths.length) throw invalid('a proposal is decided twice', allowed);
    const items = request.items.map((item) => {
      const own = list.find(({ path }) => path === item.path);
      return readItem(item, own ? { decision, ...own } : { decision, reason }, allowed);
    });
    return { items };
  },
};

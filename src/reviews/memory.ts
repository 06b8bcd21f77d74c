// Proposals of what to remember: each is approved, changed or rejected on its own. Pure.
import type { MemoryDecision, MemoryItem } from '../domain/review.ts';
import { type Given, invalid, type Kind, onlyFields, textIn } from './kind.ts';

/** Characters of a text that somebody puts in the place of a proposal. */
const CONTENT_LIMIT = 16_000;

type Decided = MemoryDecision['items'][number];

function readItem(item: MemoryItem, given: Given, allowed: string): Decided {
  onlyFields(given, ['item_id', 'decision', 'content'], allowed);
  const { item_id } = item;
  const content = textIn(given, 'content', CONTENT_LIMIT, allowed);
  switch (given.decision) {
    case 'reject':
      return { item_id, decision: 'reject', content: null };
    case 'approve':
      if (content !== null) throw invalid(`"${item_id}" has a new text: that is "edit"`, allowed);
      return { item_id, decision: 'approve', content: item.content };
    case 'edit':
      if (content === null) throw invalid(`"${item_id}" is edited without a text`, allowed);
      return { item_id, decision: 'edit', content };
    default:
      throw invalid(`"${item_id}" has no decision that is known`, allowed);
  }
}

const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null;

export const memory: Kind<'memory'> = {
  outlives: true,
  title: ({ items }) =>
    `${items.length} ${items.length === 1 ? 'proposal' : 'proposals'} to remember`,
  allowed({ items }) {
    const ids = items.map(({ item_id }) => item_id).join(', ');
    return `{"items": [{"item_id", "decision": "approve" | "edit" | "reject", "content" when edited}], one for each of ${ids}; or {"decision": "approve" | "reject"} for all`;
  },
  read(request, given) {
    const allowed = memory.allowed(request);
    onlyFields(given, ['items', 'decision'], allowed);
    const { items, decision } = given;
    if (items === undefined)
      return { items: request.items.map((item) => readItem(item, { decision }, allowed)) };
    if (decision !== undefined || !Array.isArray(items) || !items.every(isGiven))
      throw invalid('"items" is not a list of decisions', allowed);
    const ids = items.map(({ item_id }) => item_id);
    const unknown = ids.find((id) => !request.items.some(({ item_id }) => item_id === id));
    if (
      unknown !== undefined ||
      ids.length !== request.items.length ||
      new Set(ids).size !== ids.length
    )
      throw invalid('the decisions do not name each proposal once', allowed);
    return {
      items: request.items.map((item) =>
        readItem(item, items.find(({ item_id }) => item_id === item.item_id) ?? {}, allowed),
      ),
    };
  },
};

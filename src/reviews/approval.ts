// Yes or no to something that an agent or the runtime wants to do. Pure.
import { APPROVALS, type ApprovalDecision } from '../domain/review.ts';
import { oneLine } from '../domain/text.ts';
import { invalid, type Kind, onlyFields, textIn } from './kind.ts';

const ALLOWED =
  '{"decision": "once"}, {"decision": "session"} for the rest of this query, or {"decision": "deny"}, each with "reason" if you like';
/** Words that people use for the same. */
const ALSO: Record<string, ApprovalDecision['decision']> = {
  approve: 'once',
  yes: 'once',
  reject: 'deny',
  no: 'deny',
};

export const approval: Kind<'approval'> = {
  outlives: false,
  title: ({ action }) => oneLine(action),
  allowed: () => ALLOWED,
  read(_request, given) {
    onlyFields(given, ['decision', 'reason'], ALLOWED);
    const word = textIn(given, 'decision', 100, ALLOWED)?.toLowerCase() ?? '';
    const decision = APPROVALS.find((one) => one === word) ?? ALSO[word];
    if (decision === undefined)
      throw invalid(word === '' ? 'there is no decision' : `"${word}" is no decision`, ALLOWED);
    return { decision, reason: textIn(given, 'reason', 2_000, ALLOWED) };
  },
};

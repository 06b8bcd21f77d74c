// A final text in another language than the user's: noted, so that whoever watches sees it.
import { type ReplyLanguage, WORDS } from '../domain/language.ts';
import type { Tx } from '../domain/ports.ts';
import { driftOf } from '../language/reply.ts';

type Ids = { query_id: string; task_id: string | null; agent_id: string | null; role: string };

export async function noteDrift(
  t: Tx,
  ids: Ids,
  asked: ReplyLanguage | null,
  text: string,
): Promise<void> {
  const found = driftOf(asked, text);
  if (asked === null || found === null) return;
  const detail = `the answer is in ${WORDS[found].name}; the user writes ${WORDS[asked].name}`;
  const data = { asked, found };
  await t.events.append({ kind: 'notice', state: 'language_drift', detail, ...ids, data });
}

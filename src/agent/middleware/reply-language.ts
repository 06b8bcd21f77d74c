// reply-language: a final text in another language than the user's is asked for again once, in the right one.
import { type ReplyLanguage, WORDS } from '../../domain/language.ts';
import type { Message } from '../../domain/message.ts';
import type { Middleware } from '../middleware.ts';
import { finalText, toldSince } from './told-once.ts';

export type ReplyDeps = {
  /** null: any. */
  asked: ReplyLanguage | null;
  /** The language that a text is in instead; null: it is as asked, or nobody can tell. */
  driftOf(asked: ReplyLanguage | null, text: string): ReplyLanguage | null;
};

const WRONG = 'Your answer is in the wrong language:';

function again(asked: ReplyLanguage, found: ReplyLanguage): Message {
  const { name, answer } = WORDS[asked];
  const content = `${WRONG} it is ${WORDS[found].name}, and the user writes ${name}. Give the same answer again, whole, in ${name}; code, names and quotes stay as they are. ${answer}`;
  return { role: 'user', kind: 'notice', content };
}

export function replyLanguage(
  { asked, driftOf }: ReplyDeps,
  history: readonly Message[],
): Middleware {
  let told = toldSince(history, WRONG);
  return {
    name: 'reply-language',
    async beforeFinal(ctx) {
      const text = finalText(ctx.messages);
      const found = asked === null || told || text === null ? null : driftOf(asked, text);
      if (asked === null || found === null) return 'final';
      told = true;
      return [again(asked, found)];
    },
  };
}

// A question of an agent: free text, or the number of an option. Pure.
import { QUESTION_LIMITS } from '../domain/review.ts';
import { oneLine } from '../domain/text.ts';
import { invalid, type Kind, onlyFields, textIn } from './kind.ts';

export const question: Kind<'question'> = {
  outlives: false,
  title: (request) => oneLine(request.question),
  allowed({ options }) {
    const free = '{"answer": "any text"}';
    if (options.length === 0) return free;
    const list = options.map((text, i) => `${i + 1} = ${oneLine(text, 60)}`).join(', ');
    return `${free}, or {"option": N} with ${list}`;
  },
  read(request, given) {
    const allowed = question.allowed(request);
    const { options } = request;
    onlyFields(given, ['answer', 'option'], allowed);
    const answer = textIn(given, 'answer', QUESTION_LIMITS.answer, allowed);
    const number = given.option ?? null;
    if (number === null) {
      if (answer === null) throw invalid('there is no answer', allowed);
      // Who types the words of an option means that option.
      const same = options.findIndex((text) => text.toLowerCase() === answer.toLowerCase());
      return { answer, option: same < 0 ? null : same + 1 };
    }
    if (answer !== null) throw invalid('there is both an answer and an option', allowed);
    const taken = typeof number === 'number' ? options[number - 1] : undefined;
    if (taken === undefined)
      throw invalid(`option ${JSON.stringify(number)} is not one of them`, allowed);
    return { answer: taken, option: number as number };
  },
};

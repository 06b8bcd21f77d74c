// Runs one command and says what came of it, in the words of the program.
import type { Language } from '../../language/lexicon.ts';
import type { Report } from './report.ts';
import { say } from './say.ts';
import { one, type Script } from './script.ts';

/** Characters of output in a report: the end of it, where programs say what failed. */
const MOST_OUTPUT = 3_000;
const tail = (text: string): string =>
  text.length <= MOST_OUTPUT ? text : `…${text.slice(-MOST_OUTPUT)}`;

/** Passed and failed of a `node --test` report, or null. */
export function testCounts(output: string): { pass: number; fail: number } | null {
  const pass = /^(?:#|ℹ) pass (\d+)/m.exec(output)?.[1];
  const fail = /^(?:#|ℹ) fail (\d+)/m.exec(output)?.[1];
  return pass === undefined || fail === undefined
    ? null
    : { pass: Number(pass), fail: Number(fail) };
}

/** `quiet`: the output of a success is not repeated. */
export function* runCommand(command: string, language: Language, quiet = true): Script<Report> {
  const s = say(language);
  const { ok, content } = yield* one(s.checking(command), 'shell', { command });
  const counts = testCounts(content);
  const lines: string[] = [];
  if (counts) lines.push(s.tests(counts.pass, counts.fail));
  if (!ok) lines.push(s.checkBad(command), '```', tail(content), '```');
  else if (quiet) lines.push(s.checkOk(command));
  else lines.push(s.output(command), '```', tail(content), '```');
  return { ok, text: lines.join('\n'), files: [] };
}

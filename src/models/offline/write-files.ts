// Writes files of a recipe under their label, and never over a file that somebody else made.
import type { Language } from '../../language/lexicon.ts';
import { isLabelled, labelled } from './label.ts';
import type { File } from './recipe.ts';
import type { Report } from './report.ts';
import { say } from './say.ts';
import type { Call, Outcome, Script } from './script.ts';

const INTERRUPTED = /interrupted/i;
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Writes are done again when it is not known whether they took effect: the file is the same either way. */
function* writeAll(line: string, calls: Call[]): Script<Outcome[]> {
  const outcomes = yield { say: line, calls };
  const again = calls.filter(
    (_, i) => !outcomes[i]?.ok && INTERRUPTED.test(outcomes[i]?.content ?? ''),
  );
  if (again.length === 0) return outcomes;
  const second = yield { say: line, calls: again };
  return calls.map((call, i) => second[again.indexOf(call)] ?? (outcomes[i] as Outcome));
}

/** Names of files that are there and do not carry the label. */
function* foreign(paths: readonly string[], language: Language): Script<Set<string>> {
  const [listing] = yield { say: say(language).looking, calls: [{ tool: 'list', args: {} }] };
  const names = new Set((listing?.content ?? '').split('\n').map((l) => l.split('\t')[0] ?? ''));
  const there = paths.filter((p) => names.has(p));
  if (there.length === 0) return new Set();
  const heads = yield {
    say: say(language).reading(there.join(', ')),
    calls: there.map((path) => ({ tool: 'read', args: { path, limit: 3 } })),
  };
  return new Set(there.filter((_, i) => heads[i]?.ok && !isLabelled(heads[i]?.content ?? '')));
}

export function* writeFiles(files: readonly File[], language: Language): Script<Report> {
  const s = say(language);
  const kept = yield* foreign(
    files.map((f) => f.path),
    language,
  );
  const mine = files.filter((f) => !kept.has(f.path));
  const text: string[] = kept.size > 0 ? [s.kept([...kept].join(', '))] : [];
  const written: string[] = [];
  if (mine.length > 0) {
    const outcomes = yield* writeAll(
      s.writing(mine.map((f) => f.path).join(', ')),
      mine.map(({ path, text: body }) => ({
        tool: 'write',
        args: { path, content: labelled(path, body, language) },
      })),
    );
    mine.forEach(({ path }, i) => {
      const outcome = outcomes[i];
      if (outcome?.ok) written.push(path);
      else text.push(s.notWritten(path, firstLine(outcome?.content ?? '')));
    });
  }
  if (written.length > 0) text.unshift(s.wrote(written.join(', ')));
  return { ok: written.length === files.length, text: text.join('\n'), files: written };
}

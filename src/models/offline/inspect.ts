// Looks at the working folder and reports: review, debug, tests, summary, README.
import type { Language } from '../../language/lexicon.ts';
import { type Finding, findingsOf, missing, withoutNumbers } from './findings.ts';
import type { Report } from './report.ts';
import { runCommand } from './run-command.ts';
import { say } from './say.ts';
import { one, type Script } from './script.ts';
import { shellQuote } from './shell-quote.ts';
import { writeFiles } from './write-files.ts';

const TEXT = /\.(?:m?js|cjs|ts|tsx|jsx|py|sh|html|css|md|json|toml|ya?ml|sql|go|rs|java|c|h|txt)$/;
/** Files that one look reads at most: a role reports, it does not copy a repository into its thread. */
const MOST_READ = 20;
const OWN = /^(?:\.troupe|\.git|node_modules)\//;

/** Paths of all files, in order. */
export function* allFiles(language: Language): Script<string[]> {
  const { ok, content } = yield* one(say(language).looking, 'glob', { pattern: '**/*' });
  if (!ok || /^no file matches/.test(content)) return [];
  const lines = content.split('\n').filter((l) => l !== '' && !l.startsWith('['));
  return lines.filter((path) => !OWN.test(path)).sort();
}

export function* readAll(paths: string[], language: Language): Script<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const outcomes = yield {
    say: say(language).reading(paths.join(', ')),
    calls: paths.map((path) => ({ tool: 'read', args: { path } })),
  };
  const read = paths.flatMap((path, i): [string, string][] =>
    outcomes[i]?.ok ? [[path, withoutNumbers(outcomes[i]?.content ?? '')]] : [],
  );
  return new Map(read);
}

const syntaxCommand = (paths: readonly string[]): string | null => {
  const js = paths.filter((p) => /\.m?js$|\.cjs$/.test(p));
  return js.length === 0 ? null : js.map((p) => `node --check ${shellQuote(p)}`).join(' && ');
};

export function* review(language: Language): Script<Report> {
  const s = say(language);
  const paths = yield* allFiles(language);
  const texts = yield* readAll(paths.filter((p) => TEXT.test(p)).slice(0, MOST_READ), language);
  if (texts.size === 0) return { ok: true, text: s.nothingToReview, files: [] };
  const found = [...texts].flatMap(([path, text]) => findingsOf(path, text, language));
  const lacks = missing(paths, language);
  const line = (f: Finding) => `- ${f.path}:${f.line}: ${f.what}`;
  const text = [
    s.reviewed(texts.size, found.length + lacks.length),
    ...found.map(line),
    ...lacks.map((what) => `- ${what}`),
  ];
  const command = syntaxCommand([...texts.keys()]);
  const syntax = command ? yield* runCommand(command, language) : null;
  if (syntax) text.push(syntax.text);
  text.push(s.limits);
  return { ok: true, text: text.join('\n'), files: [] };
}

const isTest = (path: string): boolean => /\.test\.(?:m?js|cjs)$/.test(path);

export function* runTests(language: Language): Script<Report> {
  const paths = yield* allFiles(language);
  const own = paths.some(isTest);
  const npm = paths.includes('package.json') && !own;
  return yield* runCommand(npm ? 'npm test' : 'node --test', language);
}

/** Runs what shows a failure, and reports where. */
export function* debug(language: Language): Script<Report> {
  const paths = yield* allFiles(language);
  const syntax = syntaxCommand(paths.slice(0, 50));
  const command = paths.some(isTest) ? 'node --test' : syntax;
  if (command === null) return { ok: true, text: say(language).nothingToReview, files: [] };
  const ran = yield* runCommand(command, language);
  return { ...ran, ok: true };
}

const endingOf = (path: string): string => /\.[\w]+$/.exec(path)?.[0] ?? '-';

export function* summary(path: string, language: Language): Script<Report> {
  const s = say(language);
  const all = yield* allFiles(language);
  const under = path === '.' ? all : all.filter((p) => p.startsWith(path.replace(/^\.\//, '')));
  const counts = new Map<string, number>();
  for (const p of under) counts.set(endingOf(p), (counts.get(endingOf(p)) ?? 0) + 1);
  const kinds = [...counts].sort((a, b) => b[1] - a[1]).map(([ending, n]) => `${ending}: ${n}`);
  const shown = under.slice(0, 50).map((p) => `- ${p}`);
  if (under.length > shown.length) shown.push(`- … (${under.length - shown.length})`);
  const head = `${s.inFolder(path)} ${under.length} ${s.files.toLowerCase()}`;
  return { ok: true, text: [head, kinds.join(', '), ...shown].join('\n'), files: [] };
}

export function* readme(language: Language): Script<Report> {
  const paths = yield* allFiles(language);
  const h = { en: 'Content', ko: '내용', zh: '内容' }[language];
  const rows = paths.filter((p) => !/^readme\.md$/i.test(p)).slice(0, 100);
  const text = `# README\n\n## ${h}\n\n${rows.map((p) => `- \`${p}\``).join('\n') || '-'}\n`;
  return yield* writeFiles([{ path: 'README.md', text }], language);
}

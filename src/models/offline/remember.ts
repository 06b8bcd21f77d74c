// What is worth remembering of a piece of work, by rules: files picked by name, the lines that say what they are about
// as the note, and where these lines stand.
import { worthOf } from '../../domain/file-worth.ts';
import type { Language } from '../../language/lexicon.ts';
import { withoutNumbers } from './findings.ts';
import { allFiles, readAll } from './inspect.ts';
import { LABEL } from './label.ts';
import type { Report } from './report.ts';
import { say } from './say.ts';
import type { Script } from './script.ts';

const MOST = 5;
const MOST_LINES = 6;
const LINE = 120;

/** Lines that say what a file is about: titles of a text; what code offers or a test pins down. */
const TELLING: readonly [files: RegExp, lines: RegExp][] = [
  [/\.(?:md|txt)$/i, /^(?:#{1,3}\s+\S|\s*(?:[-*]|\d+\.)\s+\S|[\p{L}\p{N}].{20})/u],
  [/[._]test\.|test_/i, /^\s*(?:it|test|describe)\s*\(|^\s*def test_/],
  [
    /./,
    /^\s*(?:export\b|class\b|def\b|func\b|fn\b|pub\b|(?:async\s+)?function\b|(?:app|router|server)\.\w+\()/,
  ],
];

type Line = { number: number; text: string };

function tellingLines(path: string, text: string): Line[] {
  const wanted = TELLING.find(([files]) => files.test(path))?.[1] ?? /\S/;
  const made = Object.values(LABEL);
  return text
    .split('\n')
    .map((line, i) => ({ number: i + 1, text: line.trim() }))
    .filter(({ text: line }) => wanted.test(line) && !made.some((label) => line.includes(label)))
    .slice(0, MOST_LINES);
}

export function* remember(language: Language): Script<Report> {
  const s = say(language);
  const picked = (yield* allFiles(language))
    .map((path) => ({ path, ...worthOf(path) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST);
  const texts = yield* readAll(
    picked.map(({ path }) => path),
    language,
  );
  const recommendations = picked.map(({ path, score }) => {
    const lines = tellingLines(path, withoutNumbers(texts.get(path) ?? ''));
    const said = lines.map(({ text }) => text.slice(0, LINE).replace(/^#+\s+/, ''));
    return {
      path,
      recommended_layer: 'project/context',
      rationale: `${LABEL[language]}. ${s.worth(score)}`,
      suggested_memory_content: said.length > 0 ? `${path}: ${said.join('; ')}` : '',
      // A name says little of what is in it.
      confidence: 0.2,
      evidence: lines.slice(0, 3).map(({ number, text }) => ({ lines: `${number}`, quote: text })),
    };
  });
  const json = JSON.stringify({ recommendations }, null, 2);
  return { ok: true, text: `\`\`\`json\n${json}\n\`\`\``, files: [] };
}

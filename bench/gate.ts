// `npm run bench:gate [-- --misses | --json]`: how often the branching gate is right, by set and language.
// `--misses` names the vectors that it gets wrong, but never those of the held-out set.
import { parseArgs } from 'node:util';
import { readGate } from '../src/branching/index.ts';
import { gateScores, SETS, vectorsOf } from './gate-score.ts';

const { values: flags } = parseArgs({
  options: { misses: { type: 'boolean' }, json: { type: 'boolean' } },
});
const percent = (part: number | null): string =>
  part === null ? '–' : `${(part * 100).toFixed(1)} %`;

const scores = gateScores();
if (flags.json) console.log(JSON.stringify(scores));
else {
  const head = [
    'set',
    'language',
    'vectors',
    'should open',
    'opened',
    'right',
    'precision',
    'recall',
  ];
  const rows = scores.map((s) =>
    [s.set, s.language, s.vectors, s.should_open, s.opened, s.right]
      .map(String)
      .concat(percent(s.precision), percent(s.recall)),
  );
  const widths = head.map((title, i) =>
    Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0), title.length),
  );
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
if (flags.misses)
  for (const [set, file] of Object.entries(SETS)) {
    if (file === 'held-out.json') continue;
    for (const { text, parts } of vectorsOf(file)) {
      const { parts: got, reason } = readGate(text);
      if (got.length !== parts)
        console.log(
          `${set}: ${got.length} parts instead of ${parts} (${reason}): ${JSON.stringify(text)}`,
        );
    }
  }

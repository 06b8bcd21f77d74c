import { expect, it } from 'vitest';
import type { BrainNote } from '../../src/domain/brain.ts';
import { citedNumbers, unusedNotes, withUnused } from '../../src/memory/report.ts';

let number = 0;
const note = (text: string, more: Partial<BrainNote> = {}): BrainNote => {
  number += 1;
  return {
    ...{
      note_id: number,
      query_id: 'q',
      kind: 'note',
      author: 'sa_1',
      role: 'coder',
      task_id: 't',
    },
    ...{ branch: 't', note: text, at: '2026-01-01T00:00:00.000Z', ...more },
  };
};

it.each([
  ['as note 3 says', [3]],
  ['Notes 3, 4 and 17 agree', [3, 4, 17]],
  ['see [[12]] and [note #5]', [5, 12]],
  ['노트 3과 메모 4', [3, 4]],
  ['见笔记 7、8', [7, 8]],
  ['issue #3, 4 files, notebook 5, annotate 6', []],
])('"%s" cites %j', (answer, numbers) => {
  expect([...citedNumbers(answer)].sort((a, b) => a - b)).toEqual(numbers);
});

it('a note is used when it is cited, quoted, or its substance is there', () => {
  const cited = note('the retry limit is five', { note_id: 901 });
  const quoted = note('서버는 8080 포트를 쓴다');
  const told = note('The billing module rounds half up, see money.ts');
  const left = note('The importer drops rows without an email address');
  const outcome = note('result of coder: done', { kind: 'outcome' });
  const answer =
    'Done (note 901). 서버는  8080 포트를 쓴다. Rounding half up happens in the billing module (money.ts).';
  expect(unusedNotes(answer, [cited, quoted, told, left, outcome])).toEqual([left]);
});

it('everything that was recorded is cited or listed, each text once', () => {
  const notes = Array.from({ length: 30 }, (_, i) => note(`finding ${i}: module m${i} is slow`));
  const again = note('finding 1: module m1 is slow');
  const answer = `All is well, apart from note ${notes[0]?.note_id}.`;
  const told = withUnused(answer, [...notes, again], 'Find slow modules');
  for (const { note_id, note: text } of notes.slice(1)) {
    expect(told).toContain(`note ${note_id} (coder)`);
    expect(told).toContain(text);
  }
  expect(told.split('module m1 is slow')).toHaveLength(2);
  // What it lists counts as cited: nothing is listed twice.
  expect(withUnused(told, [...notes, again], 'Find slow modules')).toBe(told);
});

it.each([
  ['Write it', '## Notes not used'],
  ['앱을 만들어 줘', '## 사용하지 않은 노트'],
  ['写一个网页', '## 未采用的笔记'],
])('the heading follows the request: %s', (request, heading) => {
  expect(withUnused('…', [note('something else entirely')], request)).toContain(heading);
});

it('an answer that leaves nothing out stays as it is', () => {
  expect(withUnused('Done.\n', [], 'x')).toBe('Done.\n');
});

import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { contentOf } from '../../src/memory/remember/content.ts';
import { essence, type Refused, refusals } from '../../src/memory/remember/likeness.ts';
import { propose } from '../../src/memory/remember/propose.ts';
import { lookAt } from '../../src/queries/look-at.ts';
import { tempFolder } from '../support/temp-folder.ts';

let workdir: string;
const put = (path: string, text: string | Buffer): void => {
  mkdirSync(join(workdir, path, '..'), { recursive: true });
  writeFileSync(join(workdir, path), text);
};
const SPEC =
  '# Storage\n\nEvents live in one table,\nordered by one integer.\n\n## Why\nReaders.\n';
beforeEach(() => {
  workdir = tempFolder();
  put('docs/spec.md', SPEC);
});

const entry = (path: string, more: object = {}) => ({
  ...{ path, recommended_layer: 'project/context', rationale: 'why' },
  ...{ suggested_memory_content: `A note about ${path}`, ...more },
});
const ask = (entries: object[], refused: Refused[] = [], answer?: string) =>
  propose({
    answer: answer ?? `\`\`\`json\n${JSON.stringify({ recommendations: entries })}\n\`\`\``,
    ...{ asked: '', workdir, refused, lookAt },
    mask: (text) => text.replaceAll('S3cret', '[secret]'),
  });
const withEvidence = async (...evidence: unknown[]) => {
  const { proposals } = await ask([entry('docs/spec.md', { evidence })]);
  return proposals[0];
};

describe('evidence', () => {
  it.each([
    ['lines alone', '3-4', [3, 4]],
    ['lines and words', { lines: '3', quote: 'Events live in one table' }, [3, 3]],
    ['words over a line break', { quote: 'one table, ordered by one integer.' }, [3, 4]],
    ['words in other lines than it says', { lines: '1', quote: 'ordered by one integer' }, [4, 4]],
    ['words with other white space', { lines: '3-4', quote: 'table,   ordered\nby' }, [3, 4]],
    ['words with a gap', { quote: '… ordered by one integer …' }, [4, 4]],
    ['lines of the file by its name', 'docs/spec.md:1', [1, 1]],
    ['a range that goes past the end', '6-400', [6, 8]],
  ])('with %s is the lines as the file has them', async (_, evidence, [from, to]) => {
    const found = await withEvidence(evidence);
    const lines = SPEC.split('\n')
      .slice((from as number) - 1, to)
      .join('\n')
      .trim();
    expect(found?.evidence).toEqual([{ path: 'docs/spec.md', from, to, quote: lines }]);
  });

  it.each([
    ['words that are not there', { lines: '3', quote: 'Events live in many tables' }],
    ['words of two letters', { lines: '3', quote: 'in' }],
    ['lines that the file does not have', '90-95'],
    ['an empty line', '2'],
    ['lines the wrong way round', { from: 4, to: 3 }],
    ['another file that is not there', 'docs/other.md:1'],
    ['a file outside', { path: '/etc/hostname', lines: '1' }],
    ['nothing', {}],
  ])('with %s does not count, and lowers the confidence', async (_, evidence) => {
    const without = await withEvidence();
    const found = await withEvidence(evidence);
    expect(found?.evidence).toEqual([]);
    expect(found?.confidence).toBeLessThan(without?.confidence ?? 0);
    expect(found?.confidence_why.join('; ')).toContain('1 of 1 quotes do not stand in the file');
  });

  it('may stand in another file; secrets and hidden characters in it are not shown', async () => {
    put('test/a.test.ts', "it('keeps order', () => login('S3cret\u202e'));\n");
    const found = await withEvidence('test/a.test.ts:1');
    expect(found?.evidence).toEqual([
      {
        path: 'test/a.test.ts',
        from: 1,
        to: 1,
        quote: "it('keeps order', () => login('[secret]'));",
      },
    ]);
  });

  it('raises the confidence, the more of it stands; the reasons say how much', async () => {
    const all = await withEvidence('1', '3-4');
    const half = await withEvidence('1', 'no such words here');
    const none = await withEvidence();
    const [a, b, c] = [all, half, none].map((p) => p?.confidence ?? 0) as [number, number, number];
    expect(a).toBeGreaterThan(b);
    expect(b).toBeGreaterThan(c);
    expect(all?.confidence_why).toContain('the file says what it quotes (2 of 2)');
    expect(half?.confidence_why).toContain('1 of 2 quotes do not stand in the file');
    expect(none?.confidence_why).toContain('it quotes nothing from the file');
  });

  it('of a file without a line break is found in no time', async () => {
    put('big.md', 'a'.repeat(500_000));
    const begun = performance.now();
    const quote = `${'a'.repeat(290)}b`;
    const evidence = Array.from({ length: 5 }, () => ({ quote }));
    const entries = Array.from({ length: 10 }, (_, i) =>
      entry('big.md', { evidence, path: i === 0 ? 'big.md' : `./x/../big.md` }),
    );
    await ask(entries);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

describe('a proposal is about a file that', () => {
  it.each([
    ['is not there', 'gone.md', 'does not exist'],
    ['is a folder', 'docs', 'is a folder'],
    ['is a link to the outside', 'out.md', 'outside'],
    ['lies behind a linked folder outside', 'far/hostname', 'outside'],
    ['has another name outside', 'hard.md', 'hard link'],
    ["lies in the runtime's folder by a link", 'own.md', 'own folder'],
  ])('%s: it is left out, and why is said', async (_, path, reason) => {
    const outside = tempFolder();
    writeFileSync(join(outside, 'x.md'), 'outside');
    symlinkSync(join(outside, 'x.md'), join(workdir, 'out.md'));
    symlinkSync('/etc', join(workdir, 'far'));
    linkSync(join(outside, 'x.md'), join(workdir, 'hard.md'));
    put('.troupe/kept.txt', 'whole output');
    symlinkSync('.troupe/kept.txt', join(workdir, 'own.md'));
    const { proposals, dropped } = await ask([entry(path)]);
    expect(proposals).toEqual([]);
    expect(dropped).toEqual([{ path, reason: expect.stringContaining(reason) }]);
  });

  it('has two names in the folder: it is one proposal, by its real name', async () => {
    symlinkSync('docs/spec.md', join(workdir, 'SPEC.md'));
    const { proposals } = await ask([entry('SPEC.md'), entry('docs/spec.md')]);
    expect(proposals.map((p) => [p.path, p.file_size])).toEqual([['docs/spec.md', SPEC.length]]);
  });

  it('is no text: it needs a note', async () => {
    put('logo.png', Buffer.from([137, 80, 0, 1]));
    expect((await ask([entry('logo.png')])).proposals).toHaveLength(1);
    const bare = await ask([entry('logo.png', { suggested_memory_content: '' })]);
    expect(bare.dropped[0]?.reason).toContain('not text');
  });

  it('was named in prose only: it counts for less', async () => {
    const agreed = (await ask([entry('docs/spec.md', { suggested_memory_content: '' })])).proposals;
    const { proposals } = await ask([], [], 'I would keep docs/spec.md.');
    expect(proposals).toHaveLength(1);
    expect(proposals[0]?.confidence).toBeLessThan(agreed[0]?.confidence ?? 0);
  });
});

describe('what was rejected before', () => {
  const note = 'Events of all kinds live in one append-only table ordered by one integer sequence.';
  const refused = (path: string, text: string): Refused[] => [{ path, essence: essence(text) }];

  it.each([
    ['in the same words', 'a.md', note, true],
    [
      'in other case, spacing and punctuation',
      'a.md',
      note.toUpperCase().replace(/ /g, '  - '),
      true,
    ],
    ['in nearly the same words, about another file', 'b.md', note.replace('integer ', ''), true],
    [
      'in words that are similar, about the same file',
      'a.md',
      `All ${note.slice(10)} So be it.`,
      true,
    ],
    ['without a note, about the same file', 'a.md', '', true],
    ['about something else, of the same file', 'a.md', 'Tokens expire after ten minutes.', false],
    [
      'in words that are only similar, about another file',
      'b.md',
      `${note.slice(0, 40)} and tokens expire after ten minutes.`,
      false,
    ],
    ['without a note, about another file', 'b.md', '', false],
  ])('%s', (_, path, text, again) => {
    expect(refusals(refused('a.md', note))(path, text)).toBe(again);
  });

  it('is not proposed again', async () => {
    const old = refused('docs/spec.md', 'a note about docs/spec.md!');
    const { proposals, dropped } = await ask([entry('docs/spec.md')], old);
    expect(proposals).toEqual([]);
    expect(dropped[0]?.reason).toBe('a person has rejected it before');
  });

  it('is found among as many as are kept without stopping the server', () => {
    const long = (seed: number) =>
      Array.from({ length: 130 }, (_, i) => `w${(seed * 7919 + i * 104_729) % 5_003}`).join(' ');
    const many = Array.from({ length: 500 }, (_, i) => ({
      path: `${i}.md`,
      essence: essence(long(i)),
    }));
    const again = refusals(many);
    const begun = performance.now();
    for (let i = 0; i < 10; i += 1) again('x.md', long(1_000 + i));
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(again('x.md', long(250))).toBe(true);
  });

  it('is known again in any script, however the text is spaced', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(text, (given) => {
        const again = refusals(refused('a.md', given.toUpperCase()));
        expect(again('a.md', `  ${given.toUpperCase()}\n`)).toBe(true);
      }),
    );
  });
});

it('a record names its file, its layer and why; without a note it holds the start of the file', () => {
  const approved = {
    ...{ path: 'a.md', layer: 'project/context' as const },
    ...{ rationale: 'It decides.', note: 'The point.' },
  };
  const head = 'File: a.md\nLayer: project/context\nWhy: It decides.';
  expect(contentOf(approved, 'text')).toBe(`${head}\n\nThe point.`);
  expect(contentOf({ ...approved, note: '' }, ' text ')).toBe(`${head}\n\ntext`);
  const long = contentOf({ ...approved, rationale: '', note: '' }, '한'.repeat(20_000));
  expect(long).toBe(`File: a.md\nLayer: project/context\n\n${'한'.repeat(14_999)}…`);
});

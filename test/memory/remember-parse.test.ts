import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo } from '../../src/memory/remember/cut.ts';
import { parseProposals } from '../../src/memory/remember/parse.ts';
import { draftsOf } from '../../src/memory/remember/propose.ts';

const WORKDIR = '/srv/work/q1';
const entry = (path: string, more: object = {}) => ({
  ...{ path, recommended_layer: 'domain/knowledge', rationale: 'why' },
  ...{ suggested_memory_content: `note on ${path}`, ...more },
});
const list = (...entries: object[]): string => JSON.stringify({ recommendations: entries });
const drafts = (answer: string, asked = '') => draftsOf(answer, { workdir: WORKDIR, asked });
const one = (more: object) => drafts(list(entry('a.md', more))).drafts[0];

describe('an answer of the role remember is read', () => {
  const json = list(entry('docs/a.md'));
  it.each([
    ['json', `\`\`\`json\n${json}\n\`\`\`\n\n## Summary\n- docs/a.md`],
    ['json', `text first\n\n\`\`\`JSON\n${json}\n\`\`\``],
    ['json', `on one line: \`\`\`json ${json} \`\`\` and more`],
    ['json', `never closed:\n\`\`\`json\n${json}\n`],
    ['json', `\`\`\`sh\nls\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
    ['json', `\`\`\`json\n{"other": 1}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
    ['fence', `\`\`\`\n${json}\n\`\`\``],
    ['fence', `\`\`\`text\n${json}\n\`\`\``],
    ['fence', `\`\`\`json\n{broken\n\`\`\`\n\`\`\`\n${json}\n\`\`\``],
    ['scan', `Here it is: ${json} and that is all.`],
    ['scan', `An { unbalanced brace, then {"version": {"n": 1}, ${json.slice(1)} ok`],
    ['scan', `{"recommendations": nothing yet} but then ${json}`],
    ['lines', 'I would keep `docs/a.md`.\nNothing else.'],
    ['lines', `{"recommendations": [{"path": "docs/a.md", "rationale": "cut off he`],
  ])('as %s from %j', (form, answer) => {
    const read = drafts(answer);
    expect(read.form).toBe(form);
    expect(read.drafts.map((d) => d.path)).toEqual(['docs/a.md']);
    const [draft] = read.drafts;
    expect([draft?.layer, draft?.note]).toEqual(
      form === 'lines' ? ['project/context', ''] : ['domain/knowledge', 'note on docs/a.md'],
    );
  });

  it('with code fences and braces inside its notes', () => {
    const note = 'Run ```sh\nnpm test\n``` first; never write } or { alone.';
    const answer = `\`\`\`json\n${list(entry('a.md', { suggested_memory_content: note }))}\n\`\`\``;
    expect(drafts(answer).drafts[0]?.note).toBe(note);
    expect(drafts(`So: ${answer.replaceAll(/^```(json)?/gm, '')}`).drafts[0]?.note).toBe(note);
  });

  it('as empty when its list is empty, whatever else it says', () => {
    const read = drafts('```json\n{"recommendations": []}\n```\nNothing in docs/a.md is worth it.');
    expect(read).toEqual({ form: 'json', drafts: [], dropped: [] });
  });

  it('as proposing nothing when it only repeats its task', () => {
    const asked = 'Files of the request:\n- docs/a.md (120 bytes)';
    expect(drafts(asked, asked).drafts).toEqual([]);
    expect(drafts(`${asked}\nI take docs/b.md`, asked).drafts.map((d) => d.path)).toEqual([
      'docs/b.md',
    ]);
  });

  it('from prose by the endings that are files of people, and no addresses', () => {
    const answer =
      'Keep src/a.ts, "b.tsx" and (c/설계.md)! See https://example.com/x.md and d.exe, e.yaml.';
    expect(drafts(answer).drafts.map((d) => d.path)).toEqual([
      ...['src/a.ts', 'b.tsx', 'c/설계.md', 'e.yaml'],
    ]);
  });
});

describe('a proposal', () => {
  it.each([
    ['user_preferences', 'user/profile'],
    ['domain\\knowledge', 'domain/knowledge'],
    ['User/Profile', 'user/profile'],
    ['context', 'project/context'],
    ['somewhere', 'project/context'],
    ['', 'project/context'],
  ])('with the layer %j goes to %s', (recommended_layer, layer) => {
    expect(one({ recommended_layer })?.layer).toBe(layer);
  });

  it.each([
    ['./a.md', 'a.md'],
    ['././a/../b.md', 'b.md'],
    [`${WORKDIR}/docs/a.md`, 'docs/a.md'],
    ['`docs/a.md`', 'docs/a.md'],
    ['docs/\u202ea.md\u200b', 'docs/a.md'],
    ['..a/b.md', '..a/b.md'],
  ])('for %j is about %s', (given, path) => {
    expect(drafts(list(entry(given))).drafts.map((d) => d.path)).toEqual([path]);
  });

  it.each([
    ['../a.md', 'outside'],
    ['a/../../q2/a.md', 'outside'],
    ['/etc/passwd', 'outside'],
    [`${WORKDIR}2/a.md`, 'outside'],
    ['..', 'outside'],
    ['.troupe/out.txt', 'own folder'],
    ['./x/../.troupe/out.txt', 'own folder'],
    [`${WORKDIR}/`, 'folder'],
    ['docs/', 'folder'],
    ['\u200b', 'names no file'],
    [`${'x'.repeat(2_000)}.md`, 'longer than'],
  ])('for %j is left out, and why is said', (given, reason) => {
    const { drafts: kept, dropped } = drafts(list(entry(given)));
    expect(kept).toEqual([]);
    expect(dropped.map((d) => d.reason)).toEqual([expect.stringContaining(reason)]);
  });

  it('is taken once for each file, and at most ten are', () => {
    const twice = [entry('a.md'), entry('./a.md', { rationale: 'again' }), entry('b.md')];
    expect(drafts(list(...twice)).drafts.map((d) => [d.path, d.rationale])).toEqual([
      ['a.md', 'why'],
      ['b.md', 'why'],
    ]);
    const many = Array.from({ length: 14 }, (_, i) => entry(`f${i}.md`));
    const { drafts: kept, dropped } = drafts(list(...many));
    expect(kept.map((d) => d.path)).toEqual(many.slice(0, 10).map((e) => e.path));
    expect(dropped).toHaveLength(4);
  });

  it('has texts without hidden characters and without secrets', () => {
    const { drafts: kept } = draftsOf(
      list(
        entry('a.md', { rationale: 'see\u202e \u200bhere', suggested_memory_content: 'k=S3cret' }),
      ),
      { workdir: WORKDIR, mask: (text) => text.replaceAll('S3cret', '[secret]') },
    );
    expect(kept[0]).toMatchObject({ rationale: 'see here', note: 'k=[secret]' });
  });

  it('of an odd shape is read as far as it goes', () => {
    const odd = JSON.stringify({
      recommendations: [
        null,
        7,
        ['x.md'],
        { path: 5 },
        { file: 'a.md', note: 'n', layer: 3 },
        'b.md',
        { __proto__: { path: 'c.md' } },
      ],
    });
    expect(drafts(odd).drafts.map((d) => [d.path, d.note, d.layer])).toEqual([
      ['a.md', 'n', 'project/context'],
      ['b.md', '', 'project/context'],
    ]);
  });

  it.each([
    ['12-18', { path: null, from: 12, to: 18, quote: '' }],
    [12, { path: null, from: 12, to: 12, quote: '' }],
    ['L3: the words', { path: null, from: 3, to: 3, quote: 'the words' }],
    ['docs/b.md:4-5: words', { path: 'docs/b.md', from: 4, to: 5, quote: 'words' }],
    ['3 servers are used', { path: null, from: null, to: null, quote: '3 servers are used' }],
    [
      { lines: '2–4', quote: 'q' },
      { path: null, from: 2, to: 4, quote: 'q' },
    ],
    [
      { line: 9, text: 'q' },
      { path: null, from: 9, to: 9, quote: 'q' },
    ],
    [
      { from: 1, to: 3, file: 'c.md' },
      { path: 'c.md', from: 1, to: 3, quote: '' },
    ],
    [{ lines: [5, 6] }, { path: null, from: 5, to: 6, quote: '' }],
    [
      { lines: '-1', quote: 'q' },
      { path: null, from: null, to: null, quote: 'q' },
    ],
  ])('names its evidence as %j', (evidence, claim) => {
    const given = typeof evidence === 'number' ? [{ lines: evidence }] : [evidence];
    const { entries } = parseProposals(list(entry('a.md', { evidence: given })));
    expect(entries[0]?.claims).toEqual([claim]);
  });
});

describe('a note', () => {
  it('of 800 characters stays as it is; a longer one is cut to 800 and says so', () => {
    const note = (n: number, letter: string) =>
      one({ suggested_memory_content: letter.repeat(n) })?.note ?? '';
    for (const letter of ['a', '한', '😀']) {
      expect(note(800, letter)).toBe(letter.repeat(800));
      const cut = note(801, letter);
      expect(Array.from(cut)).toHaveLength(800);
      expect(cut).toBe(`${letter.repeat(799)}…`);
    }
  });

  it('is cut between characters that people see, never inside one', () => {
    const family = '👨‍👩‍👧‍👦';
    const cut = cutTo(family.repeat(200), 800);
    expect(Array.from(cut).length).toBeLessThanOrEqual(800);
    expect(cut.slice(0, -1)).toBe(family.repeat((cut.length - 1) / family.length));
    expect(Array.from(cutTo(`e${'\u0301'.repeat(5_000)}`, 800)).length).toBeLessThanOrEqual(800);
  });
});

describe('whatever an answer holds', () => {
  it('it is read without error, confined and bounded', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('```', '```json\n', '\n', '{', '}', '"', '\\', '[', ']', ','),
      fc.constantFrom('"recommendations"', ':', '"path":"../x.md"', '"path":"a.md"', 'b/c.ts'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { drafts: kept } = drafts(pieces.join(''));
        expect(kept.length).toBeLessThanOrEqual(10);
        expect(new Set(kept.map((d) => d.path)).size).toBe(kept.length);
        for (const { path, note } of kept) {
          expect(path).not.toMatch(/^\/|^\.\.(\/|$)|\0/);
          expect(Array.from(note).length).toBeLessThanOrEqual(800);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('what was written down in the agreed form comes back', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 10 }), text, (notes, prose) => {
        const entries = notes.map((note, i) =>
          entry(`f${i}.md`, { suggested_memory_content: note }),
        );
        const json = JSON.stringify({ recommendations: entries }, null, 2);
        const { form, entries: read } = parseProposals(
          `${prose.replaceAll('`', '')}\n\`\`\`json\n${json}\n\`\`\`\n${prose}`,
        );
        expect(form).toBe('json');
        expect(read.map((r) => r.note)).toEqual(notes);
      }),
    );
  });

  // What would take minutes if the work grew with the square of the length.
  it.each([
    ['braces', '{'.repeat(260_000)],
    ['keys without end', '{"recommendations":['.repeat(13_000)],
    ['keys behind one brace', `{${'"recommendations"'.repeat(15_000)}`],
    ['fences', '```'.repeat(87_000)],
    ['fences on lines', '\n```json\n{'.repeat(26_000)],
    ['quotes', '"'.repeat(260_000)],
    ['dots', `${'.'.repeat(260_000)}`],
    ['one long word', `${'a/'.repeat(130_000)}x`],
    ['words with stops', 'a......................md. '.repeat(10_000)],
    ['nested lists', `{"recommendations":${'['.repeat(260_000)}`],
    ['joiners', `{"recommendations":["가${'\u200d'.repeat(250_000)}가.md"]}`],
    ['a list without end', list(...Array.from({ length: 8_000 }, (_, i) => ({ path: `${i}.md` })))],
    ['a megabyte of prose', 'see docs/a.md and b.ts, '.repeat(45_000)],
  ])('%s take no time to speak of', (_, answer) => {
    const begun = performance.now();
    drafts(answer);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

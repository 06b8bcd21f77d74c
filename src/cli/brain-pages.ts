// The shared notes of a query as a folder of Markdown with [[links]], for any program that opens a wiki of notes:
// an index, a page for each branch, a page for each author. Pure. Every link leads to a page of the folder.
import type { BrainNote } from '../domain/brain.ts';
import { cleanText } from './clean.ts';

export type Page = { name: string; text: string };

/** A file name on every system, and a name that a link can hold. */
const nameOf = (text: string): string => text.replace(/[^\p{L}\p{N}._ -]+/gu, '-').trim();
const branchPage = (branch: string): string => nameOf(`branch ${branch}`);
const authorPage = ({ role, author }: BrainNote): string => nameOf(`${role} ${author}`);
const link = (name: string): string => `[[${name}]]`;

/** Text of an agent as a quotation: it makes no headings, links or properties of its own. */
const quoted = (text: string): string =>
  cleanText(text)
    .split('\n')
    .map((line) => `> ${line.replaceAll('[[', '\\[\\[').replaceAll('<', '&lt;')}`.trimEnd())
    .join('\n');

type Group = { name: string; own: BrainNote[] };
function groups(notes: readonly BrainNote[], nameOfGroup: (note: BrainNote) => string): Group[] {
  const found = new Map<string, Group>();
  for (const note of notes) {
    const name = nameOfGroup(note);
    const group = found.get(name) ?? { name, own: [] };
    group.own.push(note);
    found.set(name, group);
  }
  return [...found.values()];
}

const noteText = (note: BrainNote, of: string): string =>
  `## note ${note.note_id}\n\n${of}, ${note.at}${note.kind === 'outcome' ? ', by the runtime' : ''}\n\n${quoted(note.note)}`;

const count = (n: number): string => `${n} ${n === 1 ? 'note' : 'notes'}`;

export function brainPages(query_id: string, notes: readonly BrainNote[]): Page[] {
  const branches = groups(notes, (note) => branchPage(note.branch));
  const authors = groups(notes, authorPage);
  const list = (pages: Group[]): string =>
    pages.map(({ name, own }) => `- ${link(name)}: ${count(own.length)}`).join('\n');
  const index = [
    `# Notes of query ${query_id}`,
    count(notes.length),
    ...(notes.length === 0
      ? []
      : [`## Branches\n\n${list(branches)}`, `## Authors\n\n${list(authors)}`]),
  ];
  const page = (name: string, own: BrainNote[], of: (note: BrainNote) => string): Page => ({
    name,
    text: `${[`# ${name}`, `Up: ${link('index')}`, ...own.map((n) => noteText(n, of(n)))].join('\n\n')}\n`,
  });
  return [
    { name: 'index', text: `${index.join('\n\n')}\n` },
    ...branches.map(({ name, own }) => page(name, own, (n) => `by ${link(authorPage(n))}`)),
    ...authors.map(({ name, own }) => page(name, own, (n) => `in ${link(branchPage(n.branch))}`)),
  ];
}

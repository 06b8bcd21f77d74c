// A Markdown document as lines and sections, for the linters of the workflows' documents. What stands in a fenced block
// is never taken for structure. Pure.

export type Line = { n: number; text: string; fenced: boolean };
export type Section = { level: number; title: string; line: number; body: Line[] };
/** What is wrong and where; `line` null: with the document as a whole. */
export type Finding = { line: number | null; message: string };

export type Document = {
  lines: Line[];
  /** Each with its whole body, the sections below it included. */
  sections: Section[];
};

const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;

export function readDocument(text: string): Document {
  const lines: Line[] = [];
  let fence = '';
  for (const [i, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const mark = FENCE.exec(raw)?.[1] ?? '';
    const opens = fence === '' && mark !== '';
    const closes = fence !== '' && mark.startsWith(fence) && raw.trim() === mark;
    lines.push({ n: i + 1, text: raw, fenced: fence !== '' || opens });
    if (opens) fence = mark;
    else if (closes) fence = '';
  }
  const heads = lines.flatMap((line, at) => {
    const found = line.fenced ? null : HEADING.exec(line.text);
    return found ? [{ at, level: (found[1] ?? '').length, title: found[2] ?? '', n: line.n }] : [];
  });
  const sections = heads.map(({ at, level, title, n }, i) => {
    const end = heads.slice(i + 1).find((next) => next.level <= level)?.at ?? lines.length;
    return { level, title, line: n, body: lines.slice(at + 1, end) };
  });
  return { lines, sections };
}

export const sectionOf = ({ sections }: Document, title: RegExp, level = 2): Section | null =>
  sections.find((s) => s.level === level && title.test(s.title)) ?? null;

/** Bullets of the form `- Name: value`; the first one of a name counts. */
export function fieldsOf(lines: readonly Line[]): Map<string, { value: string; line: number }> {
  const found = new Map<string, { value: string; line: number }>();
  for (const { text, n, fenced } of lines) {
    const [, name = '', value = ''] =
      /^\s*[-*]\s+([A-Za-z][\w -]*?)\s*[:：]\s*(.*)$/.exec(text) ?? [];
    const key = name.toLowerCase();
    if (!fenced && key !== '' && !found.has(key)) found.set(key, { value: value.trim(), line: n });
  }
  return found;
}

/** Ids such as FR-1, each once, without leading zeros. */
export function idsIn(text: string, prefix: string): string[] {
  const found = [...text.matchAll(new RegExp(`\\b${prefix}-(\\d{1,4})\\b`, 'g'))];
  return [...new Set(found.map(([, n]) => `${prefix}-${Number(n)}`))];
}

/** Collects findings in the order of the lines. */
export function createFindings() {
  const all: Finding[] = [];
  return {
    add: (line: number | null, message: string): void => void all.push({ line, message }),
    /** The value of a field that must be there, or null after a finding. */
    need(fields: ReturnType<typeof fieldsOf>, name: string, what: string): string | null {
      const field = fields.get(name.toLowerCase());
      if (field && field.value !== '') return field.value;
      all.push({ line: field?.line ?? null, message: `no "- ${name}: …" (${what})` });
      return null;
    },
    all: (): Finding[] => [...all].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  };
}
export type Findings = ReturnType<typeof createFindings>;

/** Findings of one file as lines for people and models: `path:line: message`. */
export const printed = (path: string, findings: readonly Finding[]): string[] =>
  findings.map(({ line, message }) => `${path}${line === null ? '' : `:${line}`}: ${message}`);

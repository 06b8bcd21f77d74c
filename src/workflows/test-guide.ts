// TEST_GUIDE.md: the commands that stand in it, and the guesses that nobody has confirmed. Pure.
import { readDocument, sectionOf } from './document.ts';

export type Guide = { build: string | null; test: string | null; guesses: string[] };

const NONE = /^(none|nothing|no guesses|-|없음|无|無)\.?$/i;

/** The first command of a section: an indented line, or a line of a fenced block. */
function commandIn(text: string, title: RegExp): string | null {
  const body = sectionOf(readDocument(text), title)?.body ?? [];
  const line = body.find((l) =>
    l.fenced
      ? !/^\s*(`{3,}|~{3,})/.test(l.text) && l.text.trim() !== ''
      : /^(?: {4}|\t)\S/.test(l.text),
  );
  return line ? line.text.trim().replace(/^\$\s+/, '') : null;
}

export function readGuide(text: string): Guide {
  const part = sectionOf(readDocument(text), /^guesses\b/i);
  const bullets = (part?.body ?? []).flatMap((l) => /^\s*[-*]\s+(.+)$/.exec(l.text)?.[1] ?? []);
  return {
    build: commandIn(text, /^build\b/i),
    test: commandIn(text, /^test$/i),
    guesses: bullets.filter((b) => !NONE.test(b.trim())),
  };
}

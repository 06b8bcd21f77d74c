// Checkboxes of plan.md and task.md: read, and set to what was really done. Pure.
import { type Line, readDocument } from './document.ts';

/** `number`: as written, without a dot at its end: "1", "1.2". */
export type Box = { number: string; title: string; ticked: boolean; line: number; body: Line[] };

const BOX = /^(\s*)[-*]\s+\[([ xX])\]\s+(\d+(?:\.\d+)*)\.?\s+(.*)$/;

/** Each with the lines below it, up to the next box or heading. */
export function boxesOf(text: string): Box[] {
  const boxes: Box[] = [];
  for (const line of readDocument(text).lines) {
    const found = line.fenced ? null : BOX.exec(line.text);
    if (found)
      boxes.push({
        number: found[3] ?? '',
        title: (found[4] ?? '').trim(),
        ticked: found[2] !== ' ',
        line: line.n,
        body: [],
      });
    else if (!line.fenced && /^#{1,6}\s/.test(line.text))
      boxes.push({ number: '', title: '', ticked: false, line: 0, body: [] });
    else boxes.at(-1)?.body.push(line);
  }
  // A heading ends the box above it; what stands below the heading belongs to none.
  return boxes.filter((box) => box.line > 0);
}
/** The text with exactly these boxes ticked; nothing else changes. */
export function withTicks(text: string, done: ReadonlySet<string>): string {
  const at = new Map(boxesOf(text).map((box) => [box.line, box]));
  return text
    .split('\n')
    .map((line, i) => {
      const box = at.get(i + 1);
      if (!box || box.ticked === done.has(box.number)) return line;
      return line.replace(/\[[ xX]\]/, done.has(box.number) ? '[x]' : '[ ]');
    })
    .join('\n');
}

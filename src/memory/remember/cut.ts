// Cuts a text at a number of characters without breaking one that people see as a whole. Pure.

/** At most `most` characters (code points); what was cut ends in "…". */
export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  // A character has at most two units: more than this is never looked at, however long the text is.
  const start = text.slice(0, 2 * most + 2);
  const points = Array.from(start);
  if (points.length <= most) return text;
  const room = most - 1;
  let used = 0;
  let end = 0;
  for (const { segment } of new Intl.Segmenter('und').segment(start)) {
    const size = Array.from(segment).length;
    if (used + size > room) break;
    used += size;
    end += segment.length;
  }
  // One character with endless marks on it: cut between the marks.
  const kept = end > 0 ? start.slice(0, end) : points.slice(0, room).join('');
  return `${kept.trimEnd()}…`;
}

// Which lines two texts share. Pure; bounded: beyond that everything counts as changed.
export type Line = { kind: 'same' | 'added' | 'removed'; text: string };
const LINES = 1_500;

export function diffOf(before: string, after: string): Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (a.length > LINES || b.length > LINES)
    return [
      ...a.map((text): Line => ({ kind: 'removed', text })),
      ...b.map((text): Line => ({ kind: 'added', text })),
    ];
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const best = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        a[i] === b[j] ? best(i + 1, j + 1) + 1 : Math.max(best(i + 1, j), best(i, j + 1));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] as string });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && best(i + 1, j) >= best(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i] as string });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: b[j] as string });
      j += 1;
    }
  }
  return lines;
}

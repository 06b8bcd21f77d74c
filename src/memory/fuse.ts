// Two rankings as one, and how alike two vectors are. Pure.

/** Damps the first places, so that one ranking alone does not decide. */
const K = 60;

/** Reciprocal rank fusion: ids that stand high in several rankings first. */
export function fuse(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((id, place) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (K + place + 1));
    });
  return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id);
}

/** -1 to 1; 0 for vectors of different length. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

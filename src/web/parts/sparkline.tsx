// The last minutes of a number as a line; the number itself stands beside it as text.
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * 60;
    const y = max === min ? 8 : 15 - ((value - min) / (max - min)) * 14;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 60 16" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}

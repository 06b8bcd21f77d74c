// Where a moment lies on the width of the timeline, in percent, and where its ticks are. Pure.

export type Window = { from: number; to: number };

export const at = (time: number, { from, to }: Window): number =>
  ((time - from) / (to - from)) * 100;

/** Left edge and width of a bar, inside the window, in percent; null when no part of it is to be seen. */
export function barAt(
  segment: { from: number; to: number | null },
  now: number,
  window: Window,
): { left: number; width: number } | null {
  const left = Math.max(0, at(segment.from, window));
  const right = Math.min(100, at(segment.to ?? now, window));
  return right < 0 || left > 100 ? null : { left, width: Math.max(0, right - left) };
}

const STEPS_S = [
  0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400,
];

export function ticksOf(
  origin: number,
  window: Window,
  most: number,
): { at: number; label: string }[] {
  const span = (window.to - window.from) / 1_000;
  const step = STEPS_S.find((s) => span / s <= most) ?? Math.ceil(span / most / 86_400) * 86_400;
  const first = Math.ceil((window.from - origin) / 1_000 / step) * step;
  const ticks: { at: number; label: string }[] = [];
  for (let s = first; s * 1_000 + origin <= window.to; s += step)
    ticks.push({ at: at(origin + s * 1_000, window), label: clock(s, step) });
  return ticks;
}

function clock(seconds: number, step: number): string {
  if (step < 1) return `${seconds.toFixed(step < 0.25 ? 1 : 2)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const [h, m, rest] = [Math.floor(s / 3_600), Math.floor(s / 60) % 60, s % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(rest)}` : `${m}:${two(rest)}`;
}

/** A window that shows `factor` of the time around `centre` (0..1), kept inside the whole. */
export function zoom(window: Window, whole: Window, factor: number, centre: number): Window {
  const span = Math.min(whole.to - whole.from, Math.max(200, (window.to - window.from) * factor));
  const middle = window.from + (window.to - window.from) * centre;
  const from = Math.max(whole.from, Math.min(whole.to - span, middle - span * centre));
  return { from, to: from + span };
}

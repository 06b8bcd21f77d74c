// Numbers and times as people read them.

export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  const s = Math.round(ms / 1_000);
  if (s < 60) return `${s} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3_600)} h ${Math.floor(s / 60) % 60} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor(s / 3_600) % 24} h`;
}
export function count(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 1_000_000) return `${(n / 1_000).toFixed(n < 10_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}
export function bytes(n: number): string {
  if (n < 1_024) return `${n} B`;
  if (n < 1_048_576) return `${(n / 1_024).toFixed(n < 10_240 ? 1 : 0)} KiB`;
  return `${(n / 1_048_576).toFixed(n < 10_485_760 ? 1 : 0)} MiB`;
}
export const usd = (n: number | null): string =>
  n === null ? '–' : n === 0 ? '$0' : n < 0.01 ? `$${n.toFixed(4)}` : `$${n.toFixed(2)}`;
export const clock = (iso: string): string =>
  new Date(iso).toLocaleTimeString(undefined, { hour12: false });
export const day = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
export const firstLine = (text: string, length = 160): string => {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
// What steers a terminal or turns the direction of reading is shown as what it is.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

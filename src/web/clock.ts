// The time of the server, once a second while anybody looks. Events tell how far the two clocks are apart.
import { signal } from '@preact/signals';

let ahead = Number.NEGATIVE_INFINITY;
export const serverNow = (): number => Date.now() + (Number.isFinite(ahead) ? ahead : 0);
/** An event that has just arrived was made at `iso`: the shorter its way was, the truer. */
export function hear(iso: string): void {
  const difference = Date.parse(iso) - Date.now();
  if (difference > ahead) ahead = difference;
}
export const now = signal(Date.now());
const TICK_MS = 1_000;
setInterval(() => {
  if (!document.hidden) now.value = serverNow();
}, TICK_MS);
addEventListener('visibilitychange', () => {
  now.value = serverNow();
});

// Keys for people who do not reach for the mouse. Never while somebody types.
import { signal } from '@preact/signals';
import { go, route, setParam, type View } from './route.ts';

export const helpShown = signal(false);

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}
function leave(): void {
  const { view, id, params } = route.value;
  if (params.get('node')) setParam('node', '');
  else if (id) go(view);
}
const press = (key: string): void =>
  document.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click();

const PLACES: Record<string, View> = { q: 'queries', s: 'servers', m: 'memory' };
let after = '';

export function watchKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    if (typing(event.target)) {
      if (event.key === 'Escape') (event.target as HTMLElement).blur();
      return;
    }
    const before = after;
    after = event.key;
    const place = before === 'g' ? PLACES[event.key] : undefined;
    if (place) go(place);
    else if (event.key === '?') helpShown.value = true;
    else if (event.key === '/') document.getElementById('search')?.focus();
    else if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'c' || event.key === 'a') press(event.key);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  });
}

// Where the page is: view, id and filters, all in the address, so that a link or a reload shows the same.
import { computed, signal } from '@preact/signals';

export const VIEWS = ['queries', 'servers', 'inbox', 'memory', 'roles', 'settings'] as const;
export type View = (typeof VIEWS)[number];
export type Route = { view: View; id: string | null; params: URLSearchParams };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed<Route>(() => {
  const [path = '', search = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  const [name = '', id = ''] = path.split('/');
  const view = VIEWS.find((v) => v === name) ?? 'queries';
  return {
    view,
    id: id === '' ? null : decodeURIComponent(id),
    params: new URLSearchParams(search),
  };
});

export function hrefOf(view: View, id?: string, params: Record<string, string> = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== '');
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ''}${search}`;
}
export const go = (view: View, id?: string): void => {
  location.hash = hrefOf(view, id);
};
/** A filter in the address; typing does not fill the history. */
export function setParam(name: string, value: string): void {
  const { view, id, params } = route.value;
  const next = { ...Object.fromEntries(params), [name]: value };
  history.replaceState(null, '', hrefOf(view, id ?? undefined, next));
  hash.value = location.hash;
}

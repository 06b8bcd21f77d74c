// Dark, light, or as the system has it. Kept in this browser.
import { effect, signal } from '@preact/signals';

const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];
const KEY = 'troupe.theme';

export const theme = signal<Theme>(
  THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system',
);
export const nextTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
};
effect(() => {
  localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset.theme = theme.value;
});

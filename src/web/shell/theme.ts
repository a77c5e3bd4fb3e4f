import { useSyncExternalStore } from 'react';
import { THEME_KEY } from './theme-key.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const listeners = new Set<() => void>();

export function storedTheme(): Theme {
  const stored = window.localStorage.getItem(THEME_KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** The system's theme is the absence of the attribute; styles/tokens.css does the rest. */
function apply(): void {
  const theme = storedTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}

/** Applies the stored theme, also when another tab changes it. */
export function startTheme(): void {
  apply();
  window.addEventListener('storage', (event) => {
    if (event.key === THEME_KEY) apply();
  });
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(THEME_KEY);
  else window.localStorage.setItem(THEME_KEY, theme);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}

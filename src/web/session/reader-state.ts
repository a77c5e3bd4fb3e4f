import type { Density } from '../../reading/rows/row.ts';
import type { Anchor } from './row-scroller.tsx';

/** The state of a session page that is kept for each entry of the browser's history. */
export interface ReaderState {
  readonly density: Density;
  readonly toggled: readonly number[];
  readonly selected: number | null;
  readonly anchor: Anchor | null;
}

const DENSITY_KEY = 'fuel-code-density';
const DEFAULT_DENSITY: Density = 2;

/** The density chosen last is the one for other sessions too. */
export function preferredDensity(): Density {
  try {
    const saved = Number(localStorage.getItem(DENSITY_KEY));
    return saved === 1 || saved === 2 || saved === 3 ? saved : DEFAULT_DENSITY;
  } catch {
    return DEFAULT_DENSITY;
  }
}

export function preferDensity(density: Density): void {
  try {
    localStorage.setItem(DENSITY_KEY, String(density));
  } catch {
    // Storage is forbidden: the choice is kept only while the page is open.
  }
}

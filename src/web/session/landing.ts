import { findRanges } from '../items/find-ranges.ts';
import type { Marker } from '../items/marker.ts';
import { markCurrent } from '../items/use-marks.ts';

/** Which match of a row to show: coming from above the first one, from below the last one. */
export type Edge = 'first' | 'last';

/** A row that a search led to. */
export interface Landed {
  readonly key: number;
  readonly ordinal: number;
  readonly marker: Marker;
}

interface Place {
  readonly key: number;
  readonly marker: Marker;
  /** Index of the match in the row; negative from the end. */
  at: number;
}

export interface LandingView {
  readonly element: HTMLElement;
  /** What covers the top. */
  readonly topPx: number;
  readonly scrollTo: (px: number) => void;
}

/** Room between a match and the edges of the view. */
const MARGIN_PX = 32;
/** Where a match is put that was out of view, as a share of the height. */
const PUT_AT = 0.4;
const USER_ACTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps the match of a search in view while the text of its row arrives, unfolds and gets its colors, until the reader
 * moves. A row can be taller than the window, so showing the row is not enough.
 */
export class Landing {
  #view: LandingView | null = null;
  #place: Place | null = null;
  #isHolding = false;
  readonly #changes = new MutationObserver(() => this.#show());
  readonly #sizes = new ResizeObserver(() => this.#show());

  attach(view: LandingView): () => void {
    this.#view = view;
    const rows = view.element.firstElementChild;
    if (rows !== null) this.#sizes.observe(rows);
    this.#changes.observe(view.element, { childList: true, subtree: true, characterData: true });
    for (const act of USER_ACTS) window.addEventListener(act, this.#letGo, { capture: true, passive: true });
    return () => {
      this.#view = null;
      this.#sizes.disconnect();
      this.#changes.disconnect();
      for (const act of USER_ACTS) window.removeEventListener(act, this.#letGo, { capture: true });
      markCurrent(null);
    };
  }

  land(key: number, marker: Marker, edge: Edge): void {
    this.#place = { key, marker, at: edge === 'first' ? 0 : -1 };
    this.#isHolding = true;
    this.#show();
  }

  /** Goes to the next match of the same row that is out of view. Returns false if there is none. */
  step(by: 1 | -1): boolean {
    const [place, view] = [this.#place, this.#view];
    if (place === null || view === null) return false;
    const ranges = this.#ranges(place);
    const { top, bottom } = boundsOf(view);
    const isBeyond = (range: Range) => {
      const box = range.getBoundingClientRect();
      return by > 0 ? box.bottom > bottom : box.top < top;
    };
    const current = place.at < 0 ? ranges.length + place.at : place.at;
    const next =
      by > 0
        ? ranges.findIndex((range, at) => at > current && isBeyond(range))
        : ranges.slice(0, Math.max(current, 0)).findLastIndex(isBeyond);
    if (next < 0) return false;
    place.at = next;
    this.#isHolding = true;
    this.#show();
    return true;
  }

  end(): void {
    this.#place = null;
    this.#isHolding = false;
    markCurrent(null);
  }

  readonly #letGo = (): void => {
    this.#isHolding = false;
  };

  #ranges({ key, marker }: Place): readonly Range[] {
    const row = this.#view?.element.querySelector<HTMLElement>(`[data-key="${key}"]`) ?? null;
    return row === null ? [] : findRanges(row, marker).filter((range) => range.getClientRects().length > 0);
  }

  #show(): void {
    const [place, view] = [this.#place, this.#view];
    if (place === null || view === null) return;
    const range = this.#ranges(place).at(place.at) ?? null;
    markCurrent(range);
    if (range === null || !this.#isHolding) return;
    const { top, bottom } = boundsOf(view);
    const box = range.getBoundingClientRect();
    if (box.top >= top && box.bottom <= bottom) return;
    view.scrollTo(view.element.scrollTop + box.top - (top + (bottom - top) * PUT_AT));
  }
}

function boundsOf({ element, topPx }: LandingView): { readonly top: number; readonly bottom: number } {
  const { top, bottom } = element.getBoundingClientRect();
  return { top: top + topPx, bottom: bottom - MARGIN_PX };
}

import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';

/** Private fields of the virtualizer: `flat` has start and height of each row, `version` counts changed heights. */
interface Internals {
  getMeasurements: () => VirtualItem[];
  readonly getMeasurementOptions: () => { readonly count: number };
  readonly itemSizeCacheVersion: number;
  pendingMin: number | null;
  readonly _singleLaneMeasurements: { readonly flat: Float64Array } | null;
}

const patched = new WeakSet<object>();

/**
 * Moves the rows below one whose height has changed. The virtualizer would look up keys, heights and estimates of all of
 * them again, several times per frame, which takes longer than everything else in a long session.
 */
export function keepMeasurements(virtual: Virtualizer<HTMLDivElement, HTMLDivElement>): void {
  if (patched.has(virtual)) return;
  patched.add(virtual);
  const internals = virtual as unknown as Internals;
  const measure = internals.getMeasurements;
  const resize = virtual.resizeItem;
  const changed = new Set<number>();
  let resizing = -1;
  let known = { options: {} as object, version: -1, view: [] as VirtualItem[] };
  virtual.resizeItem = (row, px) => {
    changed.add(row);
    resizing = row;
    resize(row, px);
    resizing = -1;
  };
  const remember = (view: VirtualItem[]) => {
    known = { options: internals.getMeasurementOptions(), version: internals.itemSizeCacheVersion, view };
    changed.clear();
    // Rows are also read before the new height is set.
    if (resizing >= 0) changed.add(resizing);
    internals.pendingMin = null;
    virtual.measurementsCache = view;
    return view;
  };
  internals.getMeasurements = () => {
    const options = internals.getMeasurementOptions();
    if (options === known.options && internals.itemSizeCacheVersion === known.version) return known.view;
    const flat = internals._singleLaneMeasurements?.flat;
    if (options !== known.options || flat === undefined || changed.size === 0) {
      internals.pendingMin = null;
      return remember(measure());
    }
    shiftRows(flat, options.count, changed, (row) => virtual.itemSizeCache.get(virtual.options.getItemKey(row)));
    return remember(viewOf(virtual, flat, options.count));
  };
}

/** Sets the heights of some rows, and moves what is below them. */
export function shiftRows(
  flat: Float64Array,
  count: number,
  changed: Iterable<number>,
  heightOf: (row: number) => number | undefined,
): void {
  const rows = [...changed].toSorted((a, b) => a - b);
  let by = 0;
  for (const [at, row] of rows.entries()) {
    const before = flat[row * 2 + 1] ?? 0;
    const after = heightOf(row) ?? before;
    flat[row * 2 + 1] = after;
    by += after - before;
    const end = Math.min(rows[at + 1] ?? count - 1, count - 1);
    if (by !== 0) for (let next = row + 1; next <= end; next += 1) flat[next * 2] = (flat[next * 2] as number) + by;
  }
}

/** Rows as the virtualizer expects them; each is made when it is read. */
function viewOf(
  { options: { getItemKey } }: Virtualizer<HTMLDivElement, HTMLDivElement>,
  flat: Float64Array,
  count: number,
): VirtualItem[] {
  return new Proxy([], {
    get: (target, name, receiver) => {
      if (name === 'length') return count;
      const index = typeof name === 'string' && /^\d+$/.test(name) ? Number(name) : -1;
      if (index < 0) return Reflect.get(target, name, receiver);
      if (index >= count) return undefined;
      const start = flat[index * 2] as number;
      const size = flat[index * 2 + 1] as number;
      return { index, key: getItemKey(index), start, size, end: start + size, lane: 0 };
    },
  });
}

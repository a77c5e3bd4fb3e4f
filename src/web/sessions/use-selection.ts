import { useCallback, useMemo, useState } from 'react';

/** The sessions that a bulk change applies to. */
export interface Selection {
  readonly ids: readonly string[];
  readonly isActive: boolean;
  readonly has: (id: string) => boolean;
  /** Selects all of them, or none if all were selected. */
  readonly toggle: (ids: readonly string[]) => void;
  readonly add: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const add = useCallback((ids: readonly string[]) => setSelected((before) => new Set([...before, ...ids])), []);
  const toggle = useCallback(
    (ids: readonly string[]) =>
      setSelected((before) =>
        ids.every((id) => before.has(id))
          ? new Set([...before].filter((id) => !ids.includes(id)))
          : new Set([...before, ...ids]),
      ),
    [],
  );
  const clear = useCallback(() => setSelected(new Set()), []);
  return useMemo(
    () => ({
      ids: [...selected],
      isActive: selected.size > 0,
      has: (id) => selected.has(id),
      toggle,
      add,
      clear,
    }),
    [selected, toggle, add, clear],
  );
}

import { useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type ListSearch, readListSearch } from '../routing/place.ts';
import { useGo } from '../routing/use-go.ts';

export interface ListAddress {
  readonly search: ListSearch;
  /** Changes the address; typing replaces the history entry, everything else adds one. */
  readonly change: (
    change: Partial<{ [K in keyof ListSearch]: ListSearch[K] | undefined }>,
    isTyping?: boolean,
  ) => void;
}

/** The state of the list is in its address, so it can be bookmarked, and Back undoes a filter. */
export function useListSearch(): ListAddress {
  const go = useGo();
  const query = useSearch({ strict: false });
  const search = useMemo(() => readListSearch({ ...query }), [query]);
  const change = useCallback<ListAddress['change']>(
    (next, isTyping = false) =>
      go({ kind: 'list', ...readListSearch({ ...search, ...next }) }, { isReplacing: isTyping }),
    [go, search],
  );
  return { search, change };
}

import { useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { DashboardName } from '../../domain/page-paths.ts';
import type { DashboardFilter } from '../routing/place.ts';
import { useGo } from '../routing/use-go.ts';

type Change = Readonly<Partial<Record<keyof DashboardFilter, string | null>>>;

/** The filter of a dashboard, which its address holds. Changing it replaces the address. */
export function useFilter(name: DashboardName): readonly [DashboardFilter, (change: Change) => void] {
  const filter = useSearch({ strict: false }) as DashboardFilter;
  const go = useGo();
  const change = useCallback(
    (changed: Change) => {
      const given = Object.entries({ ...filter, ...changed }).filter((entry): entry is [string, string] => {
        return entry[1] !== null && entry[1] !== '';
      });
      go({ kind: 'dashboard', name, filter: Object.fromEntries(given) }, { isReplacing: true });
    },
    [filter, go, name],
  );
  return [filter, change];
}

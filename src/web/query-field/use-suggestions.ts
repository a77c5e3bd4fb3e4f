import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { isValueField } from '../../domain/session-fields.ts';
import { type KnownValue, type Spot, suggest, type Suggestion } from '../../reading/query/complete.ts';
import { CLIENTS } from '../api/client.ts';
import { useRealm } from '../routing/realm.ts';

const MAX_VALUES = 12;
const STALE_MS = 60_000;

/** Completions at the caret. The values of a field come from the server; until they are there, none are shown. */
export function useSuggestions(spot: Spot | null): readonly Suggestion[] {
  const known = useKnownValues(spot);
  return spot === null ? [] : suggest(spot, known);
}

function useKnownValues(spot: Spot | null): readonly KnownValue[] {
  const { base } = useRealm();
  const field = spot?.kind === 'value' && isValueField(spot.field) ? spot.field : null;
  const typed = useDeferredValue(spot?.kind === 'value' ? spot.typed : '');
  const { data } = useQuery({
    queryKey: [base, 'values', field, typed],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/search/values', {
        query: { field: field ?? 'model', limit: MAX_VALUES, ...(typed === '' ? {} : { contains: typed }) },
        signal,
      }),
    enabled: field !== null,
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
  return data === undefined || data.field !== field ? [] : data.values;
}

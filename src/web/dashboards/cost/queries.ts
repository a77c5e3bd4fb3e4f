import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { addDays } from '../../../domain/days.ts';
import { CLIENTS } from '../../api/client.ts';
import { ZONE } from '../../api/queries.ts';
import { useRealm } from '../../routing/realm.ts';
import { type Period, queryOf, today } from '../periods.tsx';

export function useCostPeriods() {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'cost', 'periods'],
    queryFn: ({ signal }) => CLIENTS[base].get('/cost/periods', { query: { zone: ZONE }, signal }),
  });
}

/** The current block of five hours, if any. */
export function useActiveBlock() {
  const { base } = useRealm();
  const since = addDays(today(), -1);
  return useQuery({
    queryKey: [base, 'cost', 'block', since],
    queryFn: async ({ signal }) => {
      const query = { by: 'block', zone: ZONE, since } as const;
      return (await CLIENTS[base].get('/cost', { query, signal })).active_block;
    },
  });
}

export function useBudgets() {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'cost', 'budgets'],
    queryFn: ({ signal }) => CLIENTS[base].get('/budgets', { query: { zone: ZONE }, signal }),
  });
}

export function useCostBreakdown(period: Period) {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'cost', 'breakdown', period],
    queryFn: ({ signal }) => CLIENTS[base].get('/cost/breakdown', { query: queryOf(period), signal }),
    placeholderData: keepPreviousData,
  });
}

export interface CostPlace {
  readonly workspace: string;
  readonly branch: string;
}

export function useCostSessions(period: Period, place: CostPlace) {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'cost', 'sessions', period, place],
    queryFn: ({ signal }) => CLIENTS[base].get('/cost/sessions', { query: { ...queryOf(period), ...place }, signal }),
  });
}

export function usePriceBook() {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'cost', 'prices'],
    queryFn: ({ signal }) => CLIENTS[base].get('/prices', { signal }),
  });
}

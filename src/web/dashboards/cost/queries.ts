import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BudgetStatus } from '../../../api/budgets.ts';
import type { BudgetPeriod } from '../../../domain/budget.ts';
import { addDays } from '../../../domain/days.ts';
import { CLIENTS } from '../../api/client.ts';
import { ZONE } from '../../api/queries.ts';
import { useRealm } from '../../routing/realm.ts';
import { nameOfBudget } from '../../../reading/budget-text.ts';
import { showToast } from '../../shell/toasts.ts';
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

interface WantedBudget {
  readonly period: BudgetPeriod;
  /** The canonical id of a workspace; empty for all usage. */
  readonly workspace: string;
  readonly amountUsd: number;
}

/** The client of the person's own sessions: nobody changes the budgets of the demo. */
const own = CLIENTS['/api'];
const BUDGETS_KEY = ['/api', 'cost', 'budgets'] as const;

function saveBudget({ period, workspace, amountUsd }: WantedBudget) {
  const body = { period, amount_usd: amountUsd, ...(workspace === '' ? {} : { workspace_id: workspace }) };
  return own.post('/budgets', { query: { zone: ZONE }, body });
}

export function useSetBudget(onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: saveBudget,
    onSuccess: (answer) => {
      queries.setQueryData(BUDGETS_KEY, answer);
      onDone();
    },
  });
}

/** Removes a budget and offers to set it again. */
export function useRemoveBudget() {
  const queries = useQueryClient();
  const undo = useMutation({
    mutationFn: saveBudget,
    onSuccess: (answer) => queries.setQueryData(BUDGETS_KEY, answer),
    onError: (error) => showToast(error.message),
  });
  return useMutation({
    mutationFn: ({ id }: BudgetStatus) => own.delete('/budgets/:budget_id', { params: { budget_id: id } }),
    onSuccess: async (_, { period, workspace, workspace_key, amount_usd }) => {
      await queries.invalidateQueries({ queryKey: BUDGETS_KEY });
      const wanted = { period, workspace: workspace_key ?? '', amountUsd: amount_usd };
      showToast(`Removed the budget for ${nameOfBudget({ period, workspace })}`, {
        label: 'Undo',
        run: () => undo.mutate(wanted),
      });
    },
    onError: (error) => showToast(error.message),
  });
}

/** Workspaces that a budget can be set for, last used first. */
export function useWorkspaceNames() {
  return useQuery({
    queryKey: ['/api', 'workspace-names'],
    queryFn: async ({ signal }) => (await own.get('/workspaces', { signal })).workspaces,
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

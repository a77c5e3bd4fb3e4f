import { addDays, mondayOf } from './days.ts';
import { journalFields } from './journal-note.ts';
import type { JsonObject } from './transcript.ts';

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const MIN_BUDGET_USD = 0.01;
export const MAX_BUDGET_USD = 1_000_000;

/** An amount of money that a period should not exceed, for all usage or that of one workspace. */
export interface Budget {
  readonly id: string;
  readonly period: BudgetPeriod;
  /** Canonical id; null for all workspaces. */
  readonly workspaceKey: string | null;
  readonly amountNanos: number;
}

/** Percentages of a budget at which an alert is sent, smallest first. */
const BUDGET_MARKS = [80, 100] as const;
export type BudgetMark = (typeof BUDGET_MARKS)[number];

export const BUDGET_STATES = ['within', 'near', 'exceeded'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/** The highest mark that is reached; null below the first. A budget is exceeded once all of it is spent. */
export function markOf(spentNanos: number, amountNanos: number): BudgetMark | null {
  return BUDGET_MARKS.findLast((percent) => spentNanos * 100 >= amountNanos * percent) ?? null;
}

export function stateOf(spentNanos: number, amountNanos: number): BudgetState {
  const mark = markOf(spentNanos, amountNanos);
  return mark === null ? 'within' : mark === 100 ? 'exceeded' : 'near';
}

const MONTH_CHARS = 'yyyy-mm'.length;
const DAYS_PER_WEEK = 7;

/** The first and last day of the period that contains a day, both inclusive. Weeks start on Monday. */
export function periodOf(period: BudgetPeriod, day: string): { readonly first: string; readonly last: string } {
  if (period === 'day') return { first: day, last: day };
  if (period === 'week') return { first: mondayOf(day), last: addDays(mondayOf(day), DAYS_PER_WEEK - 1) };
  const first = `${day.slice(0, MONTH_CHARS)}-01`;
  const nextMonth = addDays(first, 31).slice(0, MONTH_CHARS);
  return { first, last: addDays(`${nextMonth}-01`, -1) };
}

/** No transcript contains budgets, so the journal keeps every change. */
export type BudgetNote = { readonly at: string; readonly id: string } & (
  | ({ readonly what: 'budget_set' } & Omit<Budget, 'id'>)
  | { readonly what: 'budget_removed' }
);

/** Reads a change of a budget from a journal record; null for any other record. */
export function budgetFromJournal(record: JsonObject): BudgetNote | null {
  const { at, id, what, period, workspaceKey, amountNanos } = journalFields(record);
  if (typeof at !== 'string' || typeof id !== 'string') return null;
  if (what === 'budget_removed') return { at, id, what };
  const known = BUDGET_PERIODS.find((one) => one === period);
  if (what !== 'budget_set' || known === undefined || typeof amountNanos !== 'number') return null;
  if (workspaceKey !== null && typeof workspaceKey !== 'string') return null;
  return { at, id, what, period: known, workspaceKey, amountNanos };
}

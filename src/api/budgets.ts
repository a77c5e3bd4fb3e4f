import { z } from 'zod';
import { BUDGET_PERIODS, BUDGET_STATES, MAX_BUDGET_USD, MIN_BUDGET_USD } from '../domain/budget.ts';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { count, dayZone, done, MAX_ID_CHARS, plainText, text, textOrNull } from './values.ts';

/** A budget and what was spent in its current period. */
export const budgetStatus = shape(
  'BudgetStatus',
  z.strictObject({
    id: text,
    period: z.enum(BUDGET_PERIODS),
    workspace_key: textOrNull.meta({ description: 'Null for all workspaces.' }),
    workspace: textOrNull,
    first_day: text,
    last_day: text,
    amount_nanos: count,
    amount_usd: z.number(),
    spent_nanos: count,
    spent_usd: z.number(),
    left_usd: z.number().meta({ description: 'Negative when more was spent.' }),
    state: z.enum(BUDGET_STATES).meta({ description: '`near` from 80%, `exceeded` from 100%.' }),
    unpriced_messages: count.meta({ description: 'Messages without a price; their cost is not included.' }),
  }),
);
export type BudgetStatus = z.infer<typeof budgetStatus>;

const budgets = z.strictObject({ timezone: text, budgets: z.array(budgetStatus).readonly() });
const query = z.strictObject({ zone: dayZone });

const newBudget = z.strictObject({
  period: z.enum(BUDGET_PERIODS, `must be one of ${BUDGET_PERIODS.join(', ')}`),
  amount_usd: z
    .number()
    .min(MIN_BUDGET_USD, `must be at least ${MIN_BUDGET_USD}`)
    .max(MAX_BUDGET_USD, `must not be more than ${MAX_BUDGET_USD}`),
  workspace_id: plainText(MAX_ID_CHARS)
    .optional()
    .meta({ description: 'Id, name or unique prefix of a workspace; without it, all workspaces.' }),
});

/** Budgets count what the store counts: on a server, the usage of all its devices. */
export const budgetEndpoints = {
  'GET /budgets': queryEndpoint({
    about: 'Budgets with what was spent in their current day, week or month.',
    query,
    answer: budgets,
  }),
  'POST /budgets': commandEndpoint({
    about: 'Sets the budget of a period, for all usage or one workspace; replaces the existing one.',
    query,
    body: newBudget,
    answer: budgets,
  }),
  'DELETE /budgets/:budget_id': commandEndpoint({ about: 'Removes a budget.', answer: done }),
};

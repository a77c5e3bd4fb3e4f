import type { ActiveBlock } from '../api/usage.ts';
import { MINUTE_MS } from '../domain/durations.ts';
import { compactPlural, formatClock, formatCompact, formatCost, formatDuration } from './format.ts';

/** `$1.90/h and 9.1k tokens/min`. */
export function formatBurnRate({ cost_usd_per_hour, tokens_per_minute }: ActiveBlock): string {
  const tokens = `${formatCompact(Math.round(tokens_per_minute))} tokens/min`;
  return cost_usd_per_hour === null ? tokens : `${formatCost(cost_usd_per_hour)}/h and ${tokens}`;
}

/** The cost and tokens of the block; a cost that lacks the price of a model is marked. */
export function formatBlockUse({ total: { cost_usd, unpriced_messages }, tokens }: ActiveBlock): string {
  return usageText(cost_usd, tokens, unpriced_messages);
}

export function formatProjection({ projected_cost_usd, projected_tokens, total }: ActiveBlock): string {
  return usageText(projected_cost_usd, projected_tokens, total.unpriced_messages);
}

function usageText(dollars: number | null, tokens: number, unpriced: number): string {
  const cost = dollars === null ? '' : `${formatCost(dollars, unpriced > 0 ? ['?'] : [])} and `;
  return `${cost}${compactPlural(tokens, 'token')}`;
}

/** `14:00–19:00`. */
export function formatBlockTime({ starts_at, ends_at }: ActiveBlock, zone?: string): string {
  return `${formatClock(starts_at, zone)}–${formatClock(ends_at, zone)}`;
}

export function formatTimeLeft({ minutes_left }: ActiveBlock): string {
  return formatDuration(minutes_left * MINUTE_MS);
}

import type { ClientCost, ClientModelCost } from '../../domain/transcript-structure.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { NANOS_PER_DOLLAR } from '../../domain/usage.ts';
import { asCount, asNumber, asObject } from '../read/json.ts';
import type { SessionState } from '../state.ts';

/** The client's own account, to stand beside ours. */
export function finishClientCost({ costs }: SessionState): ClientCost | null {
  const { state, lineCostNanos } = costs;
  if (state === null && lineCostNanos === null) return null;
  return {
    costNanos: nanos(state?.['totalCostUSD']),
    lineCostNanos,
    apiDurationMs: asNumber(state?.['totalAPIDuration']),
    durationMs: asNumber(state?.['totalDuration']),
    linesAdded: asCount(state?.['totalLinesAdded']),
    linesRemoved: asCount(state?.['totalLinesRemoved']),
    hasUnknownModelCost: state?.['hasUnknownModelCost'] === true,
    models: modelCosts(asObject(state?.['modelUsage'])),
  };
}

function modelCosts(usage: JsonObject | null): readonly ClientModelCost[] {
  return Object.entries(usage ?? {}).map(([model, value]) => {
    const row = asObject(value) ?? {};
    const written = asCount(row['cacheCreationInputTokens']) ?? 0;
    const cacheWrite1h = Math.min(asCount(row['cacheCreationEphemeral1hInputTokens']) ?? 0, written);
    return {
      model,
      tokens: {
        input: asCount(row['inputTokens']) ?? 0,
        output: asCount(row['outputTokens']) ?? 0,
        cacheRead: asCount(row['cacheReadInputTokens']) ?? 0,
        cacheWrite5m: written - cacheWrite1h,
        cacheWrite1h,
      },
      costNanos: nanos(row['costUSD']),
    };
  });
}

function nanos(dollars: JsonValue | undefined): number | null {
  const value = asNumber(dollars);
  if (value === null || value < 0) return null;
  return Math.min(Math.round(value * NANOS_PER_DOLLAR), Number.MAX_SAFE_INTEGER);
}

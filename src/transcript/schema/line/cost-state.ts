import { z } from 'zod';
import { bool, num, openFields, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

const modelUsage = openFields({
  inputTokens: opt(num),
  outputTokens: opt(num),
  thinkingTokens: opt(num),
  cacheReadInputTokens: opt(num),
  cacheCreationInputTokens: opt(num),
  webSearchRequests: opt(num),
  costUSD: opt(num),
});

export const CostStateLineSchema = stateLine(
  'cost-state',
  'Running totals of the client, from 2.1.290; last one holds.',
  {
    totalCostUSD: opt(num),
    hasUnknownModelCost: opt(bool),
    totalAPIDuration: opt(num),
    totalAPIDurationWithoutRetries: opt(num),
    totalToolDuration: opt(num),
    totalDuration: opt(num),
    totalLinesAdded: opt(num),
    totalLinesRemoved: opt(num),
    startTime: opt(num),
    modelUsage: opt(z.record(str, modelUsage)),
  },
);

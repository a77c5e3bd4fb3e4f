import { homedir } from 'node:os';
import type { Config } from '../config.ts';
import { MINUTE_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import { NANOS_PER_DOLLAR } from '../domain/usage.ts';
import type { AiSummaries } from '../pipeline/ask-summary.ts';
import { createRedactor, type Redactor } from '../redact/redact.ts';
import { createAnthropicSummarizer } from '../summary/anthropic.ts';

export { redactCut } from '../redact/redact-cut.ts';

/** The redactor for everything that leaves the machine. */
export function openRedactor(config: Pick<Config, 'redact'>): Redactor {
  return createRedactor({ homes: [homedir()], patterns: config.redact });
}

/** Removes secrets from log values; paths are kept, because they are needed for troubleshooting. */
export function createLogCleaner({ redact }: Pick<Config, 'redact'>): (text: string) => string {
  let redactor: Redactor | undefined;
  return (text) => {
    redactor ??= openLogRedactor(redact);
    return redactor.text(text).value;
  };
}

/** An invalid pattern is reported when sessions are shared; logging must not fail because of it. */
function openLogRedactor(patterns: Config['redact']): Redactor {
  try {
    return createRedactor({ homes: null, patterns });
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    return createRedactor({ homes: null });
  }
}

/** AI summaries; null unless they are enabled. Errors: bad_config without an API key. */
export function openAiSummaries(config: Config, price: AiSummaries['price']): AiSummaries | null {
  if (config.summaries !== 'ai') return null;
  if (config.anthropicApiKey === null) {
    throw new FuelError('bad_config', 'AI summaries are enabled, but anthropicApiKey is not set.', {
      hint: 'Set ANTHROPIC_API_KEY or anthropicApiKey in config.json, or set summaries to narrative.',
    });
  }
  return {
    summarizer: createAnthropicSummarizer({
      apiKey: config.anthropicApiKey,
      baseUrl: config.summaryBaseUrl,
      model: config.summaryModel,
      temperature: config.summaryTemperature,
      maxOutputTokens: config.summaryMaxOutputTokens,
    }),
    redactor: openRedactor(config),
    price,
    limits: {
      maxNanosPerDay: Math.round(config.summaryMaxUsdPerDay * NANOS_PER_DOLLAR),
      maxNanosPerSession: Math.round(config.summaryMaxUsdPerSession * NANOS_PER_DOLLAR),
      maxInputTokens: config.summaryMaxInputTokens,
    },
    quietMs: config.summaryQuietMinutes * MINUTE_MS,
    random: Math.random,
  };
}

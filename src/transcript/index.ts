/**
 * Public API of the transcript engine, `fuel-code/transcript`: bytes of Claude Code transcripts in, sessions out. Pure:
 * nothing here opens a file or a socket or reads the clock.
 */

export { pathSeenByModel } from '../domain/message-path.ts';
export type * from '../domain/transcript.ts';
export type * from '../domain/transcript-lists.ts';
export type * from '../domain/transcript-structure.ts';
export * from '../domain/usage.ts';
export { createDrift, type Drift, type DriftEntry, type DriftReport, mergeDrift } from './drift.ts';
export { createParser, type ParseOptions, parseSession, resumeParser, type TranscriptParser } from './parser.ts';
export { PARSER_VERSION } from './parser-version.ts';
export { bookInfo, PRICE_BOOK, type PriceBook } from './price/book.ts';
export { withOverrides } from './price/overrides.ts';
export { isUnknownModel, type PricedUsage, priceUsage } from './price/price-usage.ts';
export { scanFiles } from './scan/scan-files.ts';
export { type UsageTotals, usageTotals } from './scan/usage-totals.ts';
export { lineJsonSchema, lineJsonSchemaText } from './schema/json-schema.ts';
export { LINE_TYPES, type LineType } from './schema/line-types.ts';
export { LINE_SCHEMAS, type LineOf, type LineVerdict, validateLine } from './schema/lines.ts';
export type { PriceUsage } from './session/finish-messages.ts';
export {
  readAgentMeta,
  readCustomTitle,
  readHistory,
  readLiveSession,
  readPlan,
  readSessionsIndex,
  readTask,
  readTodos,
  readWorkflowJournal,
  readWorkflowRun,
} from './side/small-files.ts';
export type { SessionState, SourceHead } from './state.ts';
export { isPersistedOutput, type PersistedOutput, parsePersistedOutput } from './tool/persisted-output.ts';

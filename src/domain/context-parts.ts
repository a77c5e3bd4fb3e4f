/** What fills the context of a model, from the bottom of the chart to its top. */
export const CONTEXT_PARTS = [
  'system',
  'memory',
  'summary',
  'prompts',
  'answers',
  'thinking',
  'tool_output',
  'attachments',
] as const;
export type ContextPart = (typeof CONTEXT_PARTS)[number];

/** Typical for English text and code; for estimates that people read. */
export const TYPICAL_BYTES_PER_TOKEN = 3.6;
/**
 * For limits that must not be exceeded: English has about four characters per token, code about three, other scripts up to
 * three bytes per character and one token for each.
 */
export const LOW_BYTES_PER_TOKEN = 3;

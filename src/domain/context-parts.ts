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

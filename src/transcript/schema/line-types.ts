/** Types in the client's own table that none of our files contain. */
export const UNSEEN_LINE_TYPES = [
  'resume-head-vouch',
  'data-flow-records',
  'data-flow-incomplete',
  'derived-from',
  'ended-by-model',
  'artifact-comment-monitor',
  'artifact-autoreact-ledger',
  'history-suppression',
  'attribution-snapshot',
  'isolation-latch',
  'session-owner',
  'dev-mods',
  'memory-mode',
  'observer-ref',
  'repl-mode',
] as const;

/**
 * Every line type Claude Code is known to write into a transcript, in the order of the manual (docs/transcript-format.md).
 * No imports on purpose: the engine may read this list without loading zod.
 */
export const LINE_TYPES = [
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'summary',
  'ai-title',
  'custom-title',
  'agent-name',
  'last-prompt',
  'mode',
  'permission-mode',
  'atis-latch',
  'tools-used',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  'pr-link',
  'frame-link',
  'bridge-session',
  'worktree-state',
  'relocated',
  'fork-context-ref',
  'cost-state',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'api-request-resumed',
  'continued-in',
  'content-replacement',
  'tag',
  'agent-color',
  'agent-setting',
  ...UNSEEN_LINE_TYPES,
] as const;

export type LineType = (typeof LINE_TYPES)[number];

const KNOWN: ReadonlySet<string> = new Set(LINE_TYPES);

export function isLineType(name: unknown): name is LineType {
  return typeof name === 'string' && KNOWN.has(name);
}

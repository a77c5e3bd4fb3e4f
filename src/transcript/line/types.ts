/** Every line type that a Claude Code client is known to write, 0.2 to 2.1.325; the second half by name only. */
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
  'permission-mode',
  'mode',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  'pr-link',
  'cost-state',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'worktree-state',
  'relocated',
  'fork-context-ref',
  'bridge-session',
  'atis-latch',
  'tools-used',
  'frame-link',
  'continued-in',
  'resume-head-vouch',
  'content-replacement',
  'data-flow-records',
  'data-flow-incomplete',
  'derived-from',
  'ended-by-model',
  'tag',
  'agent-color',
  'agent-setting',
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

export type LineType = (typeof LINE_TYPES)[number];

const KNOWN: ReadonlySet<string> = new Set(LINE_TYPES);

export function isLineType(type: unknown): type is LineType {
  return typeof type === 'string' && KNOWN.has(type);
}

/** The kinds of items that a conversation consists of. `kind` in an outline is an index into this list. */
export const ITEM_KINDS = [
  'prompt',
  'command',
  'answer',
  'thinking',
  'read',
  'write',
  'run',
  'web',
  'agent',
  'task',
  'mcp',
  'other_tool',
  'result',
  'media',
  'notice',
  'error',
  'compaction',
  'summary',
  'context',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Bits of `flags` in an outline. */
export const ITEM_FLAGS = {
  /** A failed call or an API error. */
  error: 1,
  /** Copied from another session. */
  inherited: 2,
  /** On a branch that was abandoned when the user rewound. */
  abandoned: 4,
  /** A call that was denied. */
  denied: 8,
  /** A call without a result, or an interruption. */
  unfinished: 16,
  hasImage: 32,
} as const;

/** The most items that one answer lists when text is found in a session. */
export const MAX_FOUND_ITEMS = 10_000;

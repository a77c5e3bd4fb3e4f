/** Things that a session can have. */
export const HAS_WORDS = [
  'commit',
  'error',
  'subagent',
  'team',
  'plan',
  'pr',
  'compaction',
  'branch',
  'api_error',
  'todo',
  'tag',
  'note',
] as const;
export type HasWord = (typeof HAS_WORDS)[number];

/** States that a person would name. */
export const IS_WORDS = ['live', 'ended', 'failed', 'unpriced', 'pinned', 'archived'] as const;

/** A session's states and the only ways between them. Two tracks: how far along it is, and how its parsing goes. */
export const LIFECYCLES = ['detected', 'capturing', 'ended', 'parsed', 'summarized', 'archived', 'failed'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const PARSE_STATUSES = ['pending', 'parsing', 'completed', 'failed'] as const;
export type ParseStatus = (typeof PARSE_STATUSES)[number];

/**
 * New bytes send any state back to `capturing`; a new parser version or a person sends a parsed one back to `ended`.
 * `failed` is never the end for data: the same three re-open it.
 */
export const TRANSITIONS = {
  detected: ['capturing', 'ended', 'failed'],
  // A live session is parsed while it grows, and has ended when no more bytes came.
  capturing: ['ended', 'parsed', 'failed'],
  ended: ['capturing', 'parsed', 'failed'],
  parsed: ['capturing', 'ended', 'summarized', 'archived', 'failed'],
  summarized: ['capturing', 'ended', 'archived'],
  archived: ['capturing', 'ended', 'parsed', 'summarized'],
  failed: ['capturing', 'ended'],
} as const satisfies Record<Lifecycle, readonly Lifecycle[]>;

/** The pairs that may stand in the database; its CHECK constraint is made from this table. */
export const ALLOWED_PAIRS = {
  detected: ['pending'],
  capturing: ['pending', 'parsing', 'completed', 'failed'],
  ended: ['pending', 'parsing', 'failed'],
  parsed: ['completed'],
  summarized: ['completed'],
  archived: ['completed'],
  failed: ['failed'],
} as const satisfies Record<Lifecycle, readonly ParseStatus[]>;

/** Ids at the edge: what Claude Code writes, and what may stand in a URL. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** What the hooks said last about a session: that it began (or went on), or that it ended. */
export interface LastWord {
  readonly kind: 'start' | 'end';
  readonly atMs: number;
  readonly endReason: string | null;
}

export interface LifeSigns {
  readonly lastWriteMs: number;
  /** A running client says that it has the session open. */
  readonly isOpen: boolean;
  readonly lastWord: LastWord | null;
  /** Files that were not written to since then are quiet. */
  readonly quietSinceMs: number;
}

/** The client writes a last line or two after it has called the hook of the end. */
const AFTERWORD_MS = 5_000;

/** Hooks are hints, files are the truth: an end that was told is believed unless bytes came after it. */
export function lifeOf({ lastWriteMs, isOpen, lastWord, quietSinceMs }: LifeSigns): {
  readonly isLive: boolean;
  readonly endReason: string | null;
} {
  const wasEnded = lastWord?.kind === 'end' && lastWord.atMs + AFTERWORD_MS >= lastWriteMs;
  const isLive = !wasEnded && (isOpen || lastWriteMs >= quietSinceMs);
  if (isLive) return { isLive, endReason: null };
  return { isLive, endReason: wasEnded ? (lastWord.endReason ?? 'other') : 'inferred' };
}

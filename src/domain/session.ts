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

/** The pairs the database accepts; its CHECK constraint is generated from this table. */
export const ALLOWED_PAIRS = {
  detected: ['pending'],
  capturing: ['pending', 'parsing', 'completed', 'failed'],
  ended: ['pending', 'parsing', 'failed'],
  parsed: ['completed'],
  summarized: ['completed'],
  archived: ['completed'],
  failed: ['failed'],
} as const satisfies Record<Lifecycle, readonly ParseStatus[]>;

/** Session ids that Claude Code writes and that are safe in a URL. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** How a session began, in the client's words; `backfill` is ours, for one whose start no hook reported. */
export const SESSION_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork', 'backfill'] as const;
export const BACKFILL = 'backfill' satisfies (typeof SESSION_SOURCES)[number];

/** The source that a start event names. A word of a newer client is kept; null when there is none. */
export function startSource(source: unknown): string | null {
  return typeof source === 'string' && /^[a-z][a-z_-]{0,39}$/.test(source) ? source : null;
}

/** What the hooks said last about a session: that it began (or went on), or that it ended. */
export interface LastReport {
  readonly kind: 'start' | 'end';
  readonly atMs: number;
  readonly endReason: string | null;
}

export interface LifeSigns {
  readonly lastWriteMs: number;
  /** A running client says that it has the session open. */
  readonly isOpen: boolean;
  readonly lastWord: LastReport | null;
  /** Files that were not written to since then are quiet. */
  readonly quietSinceMs: number;
}

/** The client writes a last line or two after it has called the hook of the end. */
const AFTERWORD_MS = 5_000;

/** Hooks are hints, files are the truth: a reported end holds unless bytes were written after it. */
export function lifeOf({ lastWriteMs, isOpen, lastWord, quietSinceMs }: LifeSigns): Life {
  const wasEnded = lastWord?.kind === 'end' && lastWord.atMs + AFTERWORD_MS >= lastWriteMs;
  const isLive = !wasEnded && (isOpen || lastWriteMs >= quietSinceMs);
  if (isLive) return { isLive, endReason: null, endedAtMs: null };
  if (!wasEnded) return { isLive, endReason: 'inferred', endedAtMs: null };
  return { isLive, endReason: lastWord.endReason ?? 'other', endedAtMs: lastWord.atMs };
}

export interface Life {
  readonly isLive: boolean;
  readonly endReason: string | null;
  /** When a hook reported the end; null while the session lives, and when the end is inferred. */
  readonly endedAtMs: number | null;
}

export interface SessionEndTimes {
  readonly endedAt: string | null;
  /** How long the session stayed open after its last line. */
  readonly afterLastLineMs: number;
}

/** A session ends with its last line or with the reported end, whichever is later. */
export function endTimes(lastLineAt: string | null, endedAtMs: number | null): SessionEndTimes {
  const lastLineMs = lastLineAt === null ? Number.NaN : Date.parse(lastLineAt);
  if (endedAtMs === null) return { endedAt: lastLineAt, afterLastLineMs: 0 };
  if (Number.isNaN(lastLineMs)) return { endedAt: new Date(endedAtMs).toISOString(), afterLastLineMs: 0 };
  const afterLastLineMs = Math.max(0, endedAtMs - lastLineMs);
  return { endedAt: new Date(lastLineMs + afterLastLineMs).toISOString(), afterLastLineMs };
}

/** What the files of a session hold. Only a session with a prompt is listed unless all are asked for. */
export const SESSION_CONTENTS = {
  prompted: 'has a prompt',
  unprompted: 'has no prompt: a warm-up, a stray file of a sub-agent, an empty file',
  titles: 'only titles of other sessions: not a session',
} as const;
export type SessionContent = keyof typeof SESSION_CONTENTS;

/** When a session started of which no line has a time: after all others in every list, and outside of every period. */
export const UNDATED = '1970-01-01T00:00:00.000Z';

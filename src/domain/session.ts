/** The states of a session and the allowed transitions, on two tracks: its lifecycle, and the status of its parse. */
export const LIFECYCLES = ['detected', 'capturing', 'ended', 'parsed', 'summarized', 'archived', 'failed'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const PARSE_STATUSES = ['pending', 'parsing', 'completed', 'failed'] as const;
export type ParseStatus = (typeof PARSE_STATUSES)[number];

/**
 * New bytes return any state to `capturing`; a new parser version or a user returns a parsed one to `ended`. `failed` is
 * not final: new bytes, a new parser version or a user reopen it.
 */
export const TRANSITIONS = {
  detected: ['capturing', 'ended', 'failed'],
  // A live session is parsed while it grows; it has ended when no more bytes arrive.
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

/** The session goes on: it was started, and more may be written. */
export function isLive(lifecycle: string): boolean {
  return lifecycle === 'detected' || lifecycle === 'capturing';
}

/** Session ids that Claude Code writes and that are safe in a URL. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The source of a session whose start no hook reported; others have the client's word, such as `startup` or `resume`. */
export const BACKFILL = 'backfill';

/** The source that a start event names. Unknown sources of newer clients are kept; null when there is none. */
export function startSource(source: unknown): string | null {
  return typeof source === 'string' && /^[a-z][a-z_-]{0,39}$/.test(source) ? source : null;
}

/** The last hook event of a session: a start (or resume) or an end. */
export interface LastReport {
  readonly kind: 'start' | 'end';
  readonly atMs: number;
  readonly endReason: string | null;
}

interface LivenessSigns {
  readonly lastWriteMs: number;
  /** Time of the newest line; null when no line has one. */
  readonly lastLineMs: number | null;
  /** A running client has the session open. */
  readonly isOpen: boolean;
  readonly lastReport: LastReport | null;
  /** Files that were not written to since then are quiet. */
  readonly quietSinceMs: number;
}

/** A session is live if its files were written within this time. */
export const QUIET_MS = 5 * 60_000;

/** The client may write its last lines up to this long after it has run the end hook. */
const LAST_LINES_MS = 5_000;

/**
 * A running client writes a line within moments of its time. A file that was written so much later than its newest line
 * was copied, restored or renamed.
 */
const COPIED_AFTER_MS = 60 * 60_000;

/** When the client last wrote to a session: the time of its files, unless they were written by something else. */
export function lastActiveMs({ lastWriteMs, lastLineMs }: Pick<LivenessSigns, 'lastWriteMs' | 'lastLineMs'>): number {
  return lastLineMs !== null && lastWriteMs - lastLineMs > COPIED_AFTER_MS ? lastLineMs : lastWriteMs;
}

/** Hooks are hints, files are the truth: a reported end is valid unless bytes were written after it. */
export function inferLiveness(signs: LivenessSigns): Liveness {
  const { isOpen, lastReport, quietSinceMs } = signs;
  const lastWriteMs = lastActiveMs(signs);
  const wasEnded = lastReport?.kind === 'end' && lastReport.atMs + LAST_LINES_MS >= lastWriteMs;
  const isLive = !wasEnded && (isOpen || lastWriteMs >= quietSinceMs);
  if (isLive) return { isLive, endReason: null, endedAtMs: null };
  if (!wasEnded) return { isLive, endReason: 'inferred', endedAtMs: null };
  return { isLive, endReason: lastReport.endReason ?? 'other', endedAtMs: lastReport.atMs };
}

export interface Liveness {
  readonly isLive: boolean;
  readonly endReason: string | null;
  /** When a hook reported the end; null while the session is live, and when the end is inferred. */
  readonly endedAtMs: number | null;
}

interface SessionEndTimes {
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

/** What the files of a session contain. Sessions without a prompt are listed only on request. */
export const SESSION_CONTENTS = {
  prompted: 'has a prompt',
  unprompted: 'has no prompt: a warm-up, a stray file of a sub-agent, an empty file',
  titles: 'only titles of other sessions: not a session',
} as const;
export type SessionContent = keyof typeof SESSION_CONTENTS;

/** Start time of a session without any timestamps: it sorts after all others and is outside of every period. */
export const UNDATED = '1970-01-01T00:00:00.000Z';

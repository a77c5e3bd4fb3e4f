import { HOUR_MS } from './durations.ts';

/** The steps from captured bytes to a finished session, in order. */
export const STEPS = {
  fetch: 'Find the archived files of the session.',
  parse: 'Parse the files and stream the content blocks to the database.',
  persist: 'Write messages and structure next to the current rows.',
  publish: 'Make the new rows current, together with the state and costs of the session and of its relatives.',
  correlate: 'Find git activity during the session.',
  summarize: 'Write the summary.',
  index: 'Update the full-text index.',
  announce: 'Notify listeners of changes outside the session row; changes of the row itself notify automatically.',
} as const;

export type StepName = keyof typeof STEPS;

/** `waits`: something the step needs is unavailable; it is retried. */
export type StepOutcome = 'done' | 'nothing_to_do' | 'waits' | 'failed';

export interface StepReport {
  readonly step: StepName;
  readonly outcome: StepOutcome;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** A claimed session: no other process works on it until the lease expires, and writes of a former holder fail. */
export interface Claim {
  readonly sessionId: string;
  readonly holder: string;
  /** Grows with every claim of the session. */
  readonly token: number;
}

/** F9: after this many failures a session waits for new bytes, a new parser or a user. */
export const MAX_ATTEMPTS = 5;
/** Pauses between the attempts: half a minute, two minutes, eight, … */
export const RETRY_PAUSES = { firstMs: 30_000, maxMs: HOUR_MS, factor: 4 };

/** Why a session is not finished yet. */
export const PENDING_REASONS = {
  being_worked_on: 'Another process is working on it.',
  stuck: 'The process parsing it has died; it will be parsed again.',
  failed: 'Its transcript could not be parsed.',
  new_bytes: 'It has new data that is not parsed yet.',
  outdated_parser: 'It was parsed by an older version of fuel-code.',
  never_ended: 'Its end was never reported.',
  not_correlated: 'Its git activity was not read yet.',
  not_indexed: 'It is not in the full-text index yet.',
} as const;

export type PendingReason = keyof typeof PENDING_REASONS;

export interface PendingSession {
  readonly id: string;
  readonly title: string | null;
  readonly reasons: readonly PendingReason[];
  readonly attempts: number;
  readonly error: string | null;
}

/** The number of files that an import archives in parallel, unless another number is given. */
export const FILES_AT_ONCE = 8;

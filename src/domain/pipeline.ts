import { HOUR_MS } from './durations.ts';

/** The steps that a session passes from captured bytes to a finished one, in order. */
export const STEPS = {
  fetch: 'Find the archived files of the session.',
  parse: 'Stream their bytes through the reader; blocks go to the store as they come.',
  persist: 'Write messages and structure beside the rows that are current.',
  publish: 'Make the new rows current, together with the state and costs of the session and of its relatives.',
  correlate: 'Find what happened in the repositories meanwhile.',
  summarise: 'Say in words what was asked and done.',
  index: 'Put the texts into the full-text index.',
  announce:
    'Tell those who listen of what has changed beside the row of the session; changes of the row tell themselves.',
} as const;

export type StepName = keyof typeof STEPS;

/** `waits`: nothing is wrong with the session; what the step needs is away, and it is tried again. */
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

/** F9: what a step cannot take is tried so often, then waits for new bytes, a new reader or a person. */
export const MAX_ATTEMPTS = 5;
/** Pauses between the attempts: half a minute, two minutes, eight, … */
export const RETRY_PAUSES = { firstMs: 30_000, maxMs: HOUR_MS, factor: 4 };

/** Why a session is not finished yet. */
export const PENDING_REASONS = {
  being_worked_on: 'Another process is working on it.',
  stuck: 'The process that parsed it is gone; it will be parsed again.',
  failed: 'Its transcript could not be parsed.',
  new_bytes: 'It has new bytes that are not parsed yet.',
  outdated_parser: 'It was parsed by an older version of fuel-code.',
  never_ended: 'Its end was never reported.',
  not_correlated: 'Its git repositories were not read yet.',
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

import type { Lifecycle } from './session.ts';
import type { ToolStatus } from './transcript-structure.ts';

/** Summaries of a session, of its sub-agents and of its teammates: what they are made from, and what they are. */

/** Who wrote it. What a person wrote always wins, then a fresh one of the model, then the narrative. */
export const SUMMARY_KINDS = ['narrative', 'ai', 'human'] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** `made`: there is a text. `waiting`: to be tried (again) at its time. `given_up`: this input gets none. */
export const SUMMARY_STATES = ['made', 'waiting', 'given_up'] as const;
export type SummaryState = (typeof SUMMARY_STATES)[number];

/** Whose work a summary tells: the whole session, or that of one sub-agent or teammate. */
export interface SummaryScope {
  /** '' for the session, else the id of the sub-agent or teammate. */
  readonly key: string;
  /** The threads that belong to it; null for the session, whose conversation is the main thread. */
  readonly agentIds: readonly string[] | null;
  readonly name: string | null;
  /** What it was started for, in the words of who started it. */
  readonly description: string | null;
  readonly status: string | null;
}

/** One utterance, cut to what a summary may need of it. */
export interface Utterance {
  readonly by: 'person' | 'model' | 'command' | 'interruption' | 'error';
  readonly text: string;
  /** The last part of a long text; the same as `text` for a short one. */
  readonly ending: string;
}

/** A command in a shell, with what it printed last where that tells an outcome. */
export interface CommandRun {
  readonly command: string;
  readonly status: ToolStatus;
  readonly exitCode: number | null;
  readonly output: string;
}

export interface ToolTally {
  readonly name: string;
  readonly status: ToolStatus;
  readonly count: number;
}

export interface CommitMade {
  /** Null when git did not print it. */
  readonly sha: string | null;
  readonly subject: string | null;
}

export interface FileWork {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface HelperWork {
  readonly key: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly status: string | null;
}

/** Everything a summary is made from: rows of one revision, each list within a limit. */
export interface SummaryInput {
  readonly sessionId: string;
  readonly revision: number;
  readonly scope: SummaryScope;
  readonly lifecycle: Lifecycle;
  /** A title that the client or the person gave. */
  readonly clientTitle: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly durationMs: number | null;
  /** The beginning and the end of the conversation; `omitted` utterances lie between the two. */
  readonly opening: readonly Utterance[];
  readonly closing: readonly Utterance[];
  readonly omitted: number;
  readonly promptCount: number;
  readonly tools: readonly ToolTally[];
  /** In order; the oldest are left out of a very long session. */
  readonly commands: readonly CommandRun[];
  readonly files: readonly FileWork[];
  readonly commits: readonly CommitMade[];
  readonly pushes: number;
  readonly pullRequests: readonly { readonly number: number | null; readonly url: string | null }[];
  readonly helpers: readonly HelperWork[];
  readonly teams: readonly { readonly name: string; readonly members: readonly string[] }[];
  readonly apiErrors: readonly { readonly what: string; readonly count: number }[];
  readonly compactions: number;
  readonly todos: readonly { readonly text: string; readonly status: string }[];
  readonly proposedPlans: number;
}

/** What a narrative says, part by part; its text is the same in sentences. */
export interface NarrativeSections {
  readonly asked: readonly string[];
  readonly answered: string | null;
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly tests: readonly string[];
  readonly commits: readonly string[];
  readonly helpers: readonly string[];
  readonly errors: readonly string[];
  readonly open_ends: readonly string[];
}

export interface Narrative {
  readonly title: string;
  readonly text: string;
  readonly sections: NarrativeSections;
}

/** A model's text must be inside these to be kept. */
export const MIN_AI_SUMMARY_CHARS = 1;
export const MAX_AI_SUMMARY_CHARS = 600;

/** One question to a model: all that leaves the machine. */
export interface SummaryRequest {
  readonly system: string;
  readonly text: string;
}

export type SummaryAnswer =
  | {
      readonly kind: 'answered';
      readonly text: string;
      /** Null when the service does not say: then the most it can have cost counts. */
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
    }
  | {
      readonly kind: 'failed';
      /**
       * `refused`: key, address or model are wrong, no question will fare better. `busy`: asked too often or too much
       * load. `lost`: nobody knows whether it was answered, and billed. `rejected`: this very question is refused.
       */
      readonly why: 'refused' | 'busy' | 'lost' | 'rejected';
      readonly retryAfterMs: number | null;
      readonly message: string;
    };

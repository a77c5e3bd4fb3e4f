import type { CommitMade } from './commits.ts';
import type { PullRequest } from './pull-request.ts';
import type { Lifecycle } from './session.ts';
import type { GitOperation, ToolStatus } from './transcript-structure.ts';

/** Who wrote it. A person's summary takes precedence, then a current one by a model, then the narrative. */
export const SUMMARY_KINDS = ['narrative', 'ai', 'human'] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** `made`: there is a text. `waiting`: to be tried later. `given_up`: no summary for this input. */
export const SUMMARY_STATES = ['made', 'waiting', 'given_up'] as const;
export type SummaryState = (typeof SUMMARY_STATES)[number];

/** What a summary covers: the whole session, or one sub-agent or teammate. */
export interface SummaryScope {
  /** '' for the session, else the id of the sub-agent or teammate. */
  readonly key: string;
  /** The threads that belong to it; null for the session, whose conversation is the main thread. */
  readonly agentIds: readonly string[] | null;
  readonly name: string | null;
  /** The task it was given. */
  readonly description: string | null;
  readonly status: string | null;
}

/** One utterance, truncated to what a summary needs. */
export interface Utterance {
  readonly by: 'person' | 'model' | 'command' | 'interruption' | 'error';
  readonly text: string;
  /** The last part of a long text; the same as `text` for a short one. */
  readonly ending: string;
}

/** A prompt, or a slash command that goes to the model. */
export interface Request extends Utterance {
  /** What followed it: words of the model, or a stop by the person before the next prompt. */
  readonly reply: Reply;
}

export type Reply = 'answered' | 'interrupted' | 'no answer';

/** A shell command with the beginning and the end of its output. */
export interface CommandRun {
  readonly command: string;
  /** When it was called; sub-agents work at the same time, so their order is that of the clock. */
  readonly at: string | null;
  readonly status: ToolStatus;
  readonly exitCode: number | null;
  readonly output: string;
  /** What the client noted about git. */
  readonly noted: readonly Pick<GitOperation, 'kind' | 'action' | 'sha' | 'url' | 'number'>[];
}

/** Counts over all shell commands of a scope. */
export interface ShellWork {
  /** Commands that ran, successful or not. */
  readonly runs: number;
  /** Commands that ran and failed; one that the client did not start is a failed call only. */
  readonly failures: number;
  /** How many commands call a program, most frequent first; tests, commits and pushes aside. */
  readonly commands: readonly LabelCount[];
  /** Failed commands by program, where only one can have failed. */
  readonly failed: readonly LabelCount[];
  readonly tests: readonly TestRunner[];
  /** The outcome of the last test run; null without one. */
  readonly lastTest: TestRunner['last'] | null;
  readonly commits: readonly CommitMade[];
  /** Calls of `git commit` whose result is not in the files. */
  readonly unknownCommits: number;
  readonly pushes: number;
  /** The pull requests that its commands created, each once. */
  readonly pullRequests: readonly PullRequest[];
}

interface LabelCount {
  readonly label: string;
  readonly calls: number;
}

export interface TestRunner {
  /** The command in short: `npm test`, `go test`. */
  readonly label: string;
  readonly calls: number;
  readonly passed: number;
  readonly failed: number;
  /** The last call, with the numbers of tests that it printed. */
  readonly last: TestOutcome;
}

export interface TestOutcome {
  readonly outcome: 'passed' | 'failed' | 'unknown';
  readonly passed: number | null;
  readonly failed: number | null;
}

export interface ToolTally {
  readonly name: string;
  readonly status: ToolStatus;
  readonly count: number;
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

/** Everything a narrative is made from: rows of one revision. Lists are limited, counts are exact. */
export interface NarrativeInput {
  readonly sessionId: string;
  readonly revision: number;
  readonly scope: SummaryScope;
  readonly lifecycle: Lifecycle;
  /** A title that the client or the person gave. */
  readonly clientTitle: string | null;
  /** What a teammate was asked to do first; null in any other session. */
  readonly task: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly conversation: Conversation;
  readonly tools: readonly ToolTally[];
  readonly shell: ShellWork;
  /** The files with the most changed lines; `fileTotals` counts all. */
  readonly files: readonly FileWork[];
  readonly fileTotals: FileTotals;
  /** Created by its commands or linked by the client, which also links one that the branch already has. */
  readonly pullRequests: readonly PullRequest[];
  readonly helpers: readonly HelperWork[];
  readonly teams: readonly { readonly name: string; readonly members: readonly string[] }[];
  readonly apiErrors: readonly { readonly what: string; readonly count: number }[];
  readonly todos: readonly { readonly text: string; readonly status: string }[];
  readonly plans: PlanCounts;
  readonly decisions: readonly Decision[];
  readonly highlights: readonly ReasoningHighlight[];
}

/** Additional input for a model. */
export interface SummaryInput extends NarrativeInput {
  /** The beginning and the end of the conversation; `omitted` utterances lie between the two. */
  readonly opening: readonly Utterance[];
  readonly closing: readonly Utterance[];
  readonly omitted: number;
}

/** Exact facts about the conversation, counted over the whole scope. */
export interface Conversation {
  /** Messages that a person typed; slash commands aside. */
  readonly prompts: number;
  /** The first requests: prompts, and slash commands that go to the model. */
  readonly requests: readonly Request[];
  readonly lastPrompt: Utterance | null;
  /** The last message of the model with text. */
  readonly lastAnswer: Utterance | null;
  /** The last speaker. */
  readonly last: Utterance | null;
  /** The model reacted to the last prompt, with words or with a tool call. */
  readonly isLastPromptAnswered: boolean;
  /** Without requests: slash commands that only concern the client, each name once. */
  readonly clientCommands: readonly string[];
  /** Commands that the person ran in the client's shell, as typed: `! npm test`. */
  readonly shellInputs: readonly string[];
  /** What the first prompt consists of if no request has words. */
  readonly attached: { readonly images: number; readonly documents: number };
  /** The session itself has no text; these facts are about its sub-agents. */
  readonly isOfAgents: boolean;
  /** Messages of all kinds in the scope's own threads. */
  readonly messages: number;
}

export interface FileTotals {
  readonly written: number;
  readonly read: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface PlanCounts {
  readonly approved: number;
  readonly rejected: number;
  /** The session ends with an unanswered plan. */
  readonly isWaiting: boolean;
}

/** A question of the model and the person's answer. */
interface Decision {
  readonly question: string;
  readonly answer: string;
}

/** A sentence of the model that names a cause or a decision, word for word. */
export interface ReasoningHighlight {
  readonly text: string;
  readonly from: 'thinking' | 'answer';
}

/** What a session was mainly about. Only stated when the evidence is clear. */
export const WORK_KINDS = {
  debugging: 'finding and fixing a bug',
  feature: 'adding something new',
  refactoring: 'changing the structure, not the behavior',
  tests: 'writing or changing tests',
  docs: 'writing or changing documentation',
  planning: 'making a plan without implementing it',
  review: 'reviewing existing code or changes',
  research: 'investigating without changing files',
} as const;
export type WorkKind = keyof typeof WORK_KINDS;

/** An open end of a narrative. Sessions are found by it (`has:failed_tests`). */
export const LAST_TEST_FAILED = 'the last test run failed';

/** The parts of a narrative; its text contains the same in sentences. */
export interface NarrativeSections {
  readonly asked: readonly string[];
  readonly answered: string | null;
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly tests: readonly string[];
  readonly commits: readonly string[];
  readonly decisions: readonly string[];
  readonly highlights: readonly string[];
  readonly helpers: readonly string[];
  readonly errors: readonly string[];
  readonly open_ends: readonly string[];
}

export interface Narrative {
  readonly title: string;
  readonly text: string;
  readonly workKind: WorkKind | null;
  readonly sections: NarrativeSections;
}

/** Limits for the length of a model's text. */
export const MIN_AI_SUMMARY_CHARS = 1;
export const MAX_AI_SUMMARY_CHARS = 600;

/** One request to a model: everything that leaves the machine. */
export interface SummaryRequest {
  readonly system: string;
  readonly text: string;
}

export type SummaryAnswer =
  | {
      readonly kind: 'answered';
      readonly text: string;
      /** Null when the service does not report it; then the maximum cost is charged. */
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
    }
  | {
      readonly kind: 'failed';
      /**
       * `refused`: key, address or model are wrong, so no request can succeed. `busy`: too many requests or too much
       * load. `lost`: it is unknown whether it was answered and billed. `rejected`: this particular request was refused.
       */
      readonly why: 'refused' | 'busy' | 'lost' | 'rejected';
      readonly retryAfterMs: number | null;
      readonly message: string;
    };

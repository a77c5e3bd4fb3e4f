import type { ToolStatus } from './transcript-structure.ts';

/** Lists of what happened in a session, and the content that the schemas do not know. */

/** The last state of each item of a to-do list (TodoWrite) or of the task list (TaskCreate and the like). */
export interface Todo {
  readonly id: string;
  readonly list: 'todo' | 'task';
  /** Whose list it is; a task list belongs to all agents of a session. */
  readonly agentId: string | null;
  readonly text: string;
  readonly description: string | null;
  readonly owner: string | null;
  readonly status: string;
}

/** A skill that was loaded: by the model with a call, or by the person with a slash command. */
export interface SkillUse {
  readonly name: string;
  readonly args: string | null;
  readonly by: 'model' | 'person';
  readonly agentId: string | null;
  readonly toolUseId: string | null;
  readonly messageId: string | null;
  readonly status: ToolStatus;
  readonly timestamp: string | null;
}

/** One question of an AskUserQuestion call. */
export interface Question {
  readonly toolUseId: string;
  readonly agentId: string | null;
  readonly messageId: string | null;
  readonly header: string | null;
  readonly question: string;
  readonly isMultiSelect: boolean;
  readonly options: readonly { readonly label: string; readonly description: string | null }[];
  /** The answer as the client wrote it; null where none was given. */
  readonly answer: string | null;
  /** The options in it, and what the person wrote instead. */
  readonly chosen: readonly string[];
  readonly notes: string | null;
  readonly status: 'answered' | 'declined' | 'pending';
  readonly answeredAt: string | null;
}

export interface Worktree {
  readonly name: string | null;
  readonly path: string | null;
  readonly branch: string | null;
  readonly originalCwd: string | null;
  readonly originalBranch: string | null;
  readonly originalCommit: string | null;
  /** The sub-agent that works in it; null for the session itself. */
  readonly agentId: string | null;
  readonly enteredAt: string | null;
  readonly leftAt: string | null;
  /** What happened to it at the end, for example `keep` or `remove`. */
  readonly leftBy: string | null;
}

/** How much of a session's lines the schemas know, per client version. */
export interface FormatDrift {
  readonly versions: readonly VersionRecords[];
  readonly unknown: readonly UnknownShape[];
}

export interface VersionRecords {
  readonly version: string;
  readonly records: number;
  /** Records of which every type, kind, field and value is known. */
  readonly known: number;
}

/** Something the schemas do not know: a line type, a kind of line or block, a field, a value, a JSON type. */
export interface UnknownShape {
  readonly what: 'line' | 'kind' | 'field' | 'value' | 'type';
  readonly name: string;
  readonly version: string;
  readonly count: number;
}

/** Kinds of texts that Claude Code keeps beside a transcript. */
export type DocumentKind = 'plan' | 'todo' | 'task' | 'memory' | 'history';

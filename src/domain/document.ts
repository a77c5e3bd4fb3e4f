/** Kinds of texts that Claude Code keeps beside a transcript. */
export type DocumentKind = 'plan' | 'todo' | 'task' | 'memory' | 'history';

/** A text beside a session's transcript: a plan, a to-do list, a task, its memory, or a prompt as it was typed. */
export interface DocumentRow {
  readonly id: string;
  readonly kind: string;
  /** In the Claude home. */
  readonly path: string;
  readonly title: string | null;
  readonly text: string;
  readonly timestamp: string | null;
}

export interface DocumentPage {
  readonly documents: readonly DocumentRow[];
  readonly next_after: number | null;
}

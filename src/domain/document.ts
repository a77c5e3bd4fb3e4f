/** Kinds of texts that Claude Code keeps beside a transcript. */
export type DocumentKind = 'plan' | 'todo' | 'task' | 'memory' | 'history';

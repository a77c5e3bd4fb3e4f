/** The kinds of files in a Claude home, derived from their paths. */
export type FileKind =
  | 'main'
  | 'agent'
  | 'agent_meta'
  | 'tool_result'
  | 'session_file'
  | 'sessions_index'
  | 'memory'
  | 'history'
  | 'plan'
  | 'tasks'
  | 'file_history'
  | 'debug'
  | 'team';

/** Kinds that a session is created from; files of other kinds wait until it exists. */
export const TRANSCRIPT_KINDS: ReadonlySet<string> = new Set<FileKind>(['main', 'agent', 'agent_meta']);

/** Kinds that the parser reads; the others are only archived with the session. */
export const PARSED_KINDS: ReadonlySet<string> = new Set<FileKind>(['main', 'agent', 'agent_meta', 'tool_result']);

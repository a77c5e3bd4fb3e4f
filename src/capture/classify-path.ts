import type { FileKind } from '../domain/file-kinds.ts';
import { isUuid, UUID_PATTERN } from '../lib/ids.ts';

const PROJECT = '^projects/[^/]+';
/** Temporary files that the client renames when they are complete. */
const UNFINISHED = /\.tmp(?:\.[0-9a-z]+)?$/i;

/** The first match wins. */
const PATTERNS: readonly (readonly [FileKind, RegExp])[] = [
  ['agent', new RegExp(`${PROJECT}/agent-(?<agent>[^/]+)\\.jsonl$`)],
  ['agent_meta', new RegExp(`${PROJECT}/agent-(?<agent>[^/]+)\\.meta\\.json$`)],
  ['main', new RegExp(`${PROJECT}/(?<stem>[^/]+)\\.jsonl$`)],
  ['sessions_index', new RegExp(`${PROJECT}/sessions-index\\.json$`)],
  ['memory', new RegExp(`${PROJECT}/memory/.`)],
  ['agent', new RegExp(`${PROJECT}/(?<session>[^/]+)/subagents/(?:.+/)?agent-(?<agent>[^/]+)\\.jsonl$`)],
  ['agent_meta', new RegExp(`${PROJECT}/(?<session>[^/]+)/subagents/(?:.+/)?agent-(?<agent>[^/]+)\\.meta\\.json$`)],
  ['tool_result', new RegExp(`${PROJECT}/(?<session>[^/]+)/tool-results/.`)],
  ['session_file', new RegExp(`${PROJECT}/(?<session>${UUID_PATTERN})/.`, 'i')],
  ['history', /^history\.jsonl$/],
  ['plan', /^plans\/[^/]+\.md$/],
  ['tasks', new RegExp(`^tasks/(?<session>[^/]+)/[^/]+\\.json$`)],
  ['tasks', new RegExp(`^todos/(?<session>${UUID_PATTERN})[^/]*\\.json$`, 'i')],
  ['debug', new RegExp(`^debug/(?<session>${UUID_PATTERN})\\.txt$`, 'i')],
  ['file_history', /^file-history\/(?<session>[^/]+)\/./],
  ['team', /^teams\/./],
];

export interface PathFacts {
  readonly kind: FileKind;
  /** Null when the path does not contain the id or when the file covers several sessions. */
  readonly sessionId: string | null;
  readonly agentId: string | null;
}

/** Classifies a path relative to a Claude home; null for files we do not archive. */
export function classifyPath(path: string): PathFacts | null {
  if (UNFINISHED.test(path)) return null;
  for (const [kind, pattern] of PATTERNS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const { groups } = match;
    const stem = groups?.stem;
    const sessionId = groups?.session ?? (stem !== undefined && isUuid(stem) ? stem : null);
    return { kind, sessionId, agentId: groups?.agent ?? null };
  }
  return null;
}

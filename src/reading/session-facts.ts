import type { SessionRow } from '../api/sessions.ts';
import { isLive } from '../domain/session.ts';
import { firstLine } from './format.ts';

export type SessionState = 'live' | 'reading' | 'failed' | 'ended';

export function stateOf(session: Pick<SessionRow, 'parse_status' | 'lifecycle'>): SessionState {
  if (session.parse_status === 'failed' || session.lifecycle === 'failed') return 'failed';
  if (isLive(session.lifecycle)) return 'live';
  return session.parse_status === 'completed' ? 'ended' : 'reading';
}

export const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  live: 'Live',
  reading: 'Not parsed yet',
  failed: 'Could not be parsed',
  ended: 'Ended',
};

/** Null while the transcript, which names the folder, has not been parsed. */
export function workspaceNameOf(session: Pick<SessionRow, 'parse_status' | 'lifecycle' | 'cwd' | 'workspace_name'>) {
  return session.cwd === null && stateOf(session) === 'reading' ? null : session.workspace_name;
}

const MAX_SUMMARY_CHARS = 300;

/** The first line of the summary. Our own narrative begins with the prompt, which the title above already shows. */
export function outcomeOf({ summary, summary_kind }: Pick<SessionRow, 'summary' | 'summary_kind'>): string {
  const line = firstLine(summary ?? '', MAX_SUMMARY_CHARS);
  if (summary_kind !== 'narrative') return line;
  const outcome = line.replace(/^Asked “[^”]*”: /, '');
  return outcome.charAt(0).toUpperCase() + outcome.slice(1);
}

export function costTitle(session: Pick<SessionRow, 'unknown_models'>): string | undefined {
  if (session.unknown_models.length === 0) return undefined;
  return `The price of ${session.unknown_models.join(', ')} is not known`;
}

/** Failed tool calls and API errors together. */
export function errorsOf({ work }: Pick<SessionRow, 'work'>): number {
  return (work?.failed_calls ?? 0) + (work?.api_errors ?? 0);
}

import type { SessionRow } from '../domain/query.ts';
import { commandText } from '../domain/client-tags.ts';
import { firstLine } from './format.ts';

const MAX_TITLE_CHARS = 200;

/** What a session is called where it has to be called something. */
export function titleOf(session: Pick<SessionRow, 'title' | 'initial_prompt'>): string {
  for (const text of [session.title, session.initial_prompt]) {
    const line = firstLine(commandText(text ?? ''), MAX_TITLE_CHARS);
    if (line !== '') return line;
  }
  return 'Session without a prompt';
}

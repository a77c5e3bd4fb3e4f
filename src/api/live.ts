import { z } from 'zod';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import type { SessionRow } from './answers/session.ts';
import { serverEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS } from './limits.ts';
import { plainText } from './values.ts';

export const liveEndpoints = {
  'GET /live': serverEndpoint({
    isOfData: true,
    about: 'Server-Sent Events: changes of sessions, new messages of one session, progress of the import.',
    query: z.strictObject({
      session_id: z
        .string()
        .regex(SESSION_ID_PATTERN, 'is no session id')
        .optional()
        .meta({ description: 'Only of this session, with its new messages.' }),
      last_event_id: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Go on after this event; the header `Last-Event-ID` says the same.' }),
    }),
    answer: 'events',
  }),
};

/** Sent when something about a session is other than before; followers ask for what they need of it. */
export interface SessionChange
  extends Pick<SessionRow, 'id' | 'workspace_id' | 'lifecycle' | 'parse_status' | 'total_messages' | 'updated_at'> {
  readonly revision: number;
}

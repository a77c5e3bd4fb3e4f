import { z } from 'zod';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { serverEndpoint } from './endpoint.ts';
import type { ImportProgress } from './server.ts';
import type { SessionRow } from './sessions.ts';
import type { MessageRow } from './transcript.ts';
import { flag, MAX_ID_CHARS, plainText } from './values.ts';

export const liveEndpoints = {
  'GET /live': serverEndpoint({
    isInDemo: true,
    about: 'Server-sent events: changed and deleted sessions, new messages of one session, import progress.',
    query: z.strictObject({
      session_id: z
        .string()
        .regex(SESSION_ID_PATTERN, 'is not a session id')
        .optional()
        .meta({ description: 'Only this session, with its new messages.' }),
      last_event_id: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Continue after this event; same as the header `Last-Event-ID`.' }),
      every: flag
        .optional()
        .meta({ description: '`true`: list all changes, however many, instead of sending `reset`.' }),
    }),
    answer: 'events',
  }),
};

/** Sent when a session has changed; clients then fetch the parts they need. */
export interface SessionChange
  extends Pick<
    SessionRow,
    | 'id'
    | 'workspace_id'
    | 'workspace_name'
    | 'lifecycle'
    | 'parse_status'
    | 'title'
    | 'total_messages'
    | 'cost_estimate_usd'
    | 'updated_at'
  > {
  readonly revision: number;
  /** Since the change that the client has seen last: it is new, it has ended, or anything else. */
  readonly change: 'new' | 'ended' | 'changed';
}

interface NewMessages {
  readonly session_id: string;
  /** New and grown messages; a known message is replaced. */
  readonly messages: readonly MessageRow[];
}

/** The events of `GET /live`. `reset`: too many changes to list; the client has to fetch everything again. */
export type LiveNews =
  | { readonly type: 'hello' | 'reset'; readonly data: Readonly<Record<string, never>> }
  | { readonly type: 'session'; readonly data: SessionChange }
  | { readonly type: 'deleted'; readonly data: { readonly id: string } }
  | { readonly type: 'messages'; readonly data: NewMessages }
  | { readonly type: 'progress'; readonly data: ImportProgress };

import { z } from 'zod';
import type { EventType } from '../domain/event.ts';
import { GIT_KINDS } from '../domain/git.ts';
import { LINKED_BY, RELATIONS } from '../domain/git-correlation.ts';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';
import { sessionFilters, sessionRow } from './sessions.ts';
import {
  choices,
  count,
  countOrNull,
  cursor,
  date,
  flag,
  inWorkspace,
  jsonObject,
  limit,
  MAX_EVENT_ROWS,
  MAX_GIT_ROWS,
  MAX_ID_CHARS,
  plainText,
  text,
  textOrNull,
  times,
} from './values.ts';

const eventType = text as unknown as z.ZodType<EventType>;

const event = shape(
  'Event',
  z.strictObject({
    id: text,
    type: eventType,
    timestamp: text,
    device_id: text,
    session_id: textOrNull,
    workspace_id: textOrNull,
    data: jsonObject,
    ingested_at: text,
  }),
);

export type StoredEvent = z.infer<typeof event>;

const eventPage = z.strictObject({ events: z.array(event).readonly(), next_cursor: textOrNull });
export type EventPage = z.infer<typeof eventPage>;

export const gitActivity = shape(
  'GitActivity',
  z.strictObject({
    id: text,
    type: z.enum(GIT_KINDS),
    timestamp: text,
    workspace_id: text,
    device_id: text,
    session_id: textOrNull,
    branch: textOrNull,
    commit_sha: textOrNull,
    message: textOrNull,
    files_changed: countOrNull,
    insertions: countOrNull,
    deletions: countOrNull,
    is_worktree: z.boolean(),
    worktree_name: textOrNull,
    folder: textOrNull,
    tool_use_id: textOrNull,
    linked_by: z.enum(LINKED_BY).nullable(),
    relation: z.enum(RELATIONS).nullable(),
    replaced_by: textOrNull,
    data: jsonObject,
  }),
);

export type GitActivityRow = z.infer<typeof gitActivity>;

const gitPage = z.strictObject({ git_activity: z.array(gitActivity).readonly(), next_cursor: textOrNull });
export type GitPage = z.infer<typeof gitPage>;

/** A session with the git activity that belongs to it, git activity outside of every session, or an event of a script. */
const timelinePage = shape(
  'TimelinePage',
  z.strictObject({
    items: z
      .array(
        z.discriminatedUnion('kind', [
          z.strictObject({
            kind: z.literal('session'),
            at: text,
            session: sessionRow,
            git_activity: z.array(gitActivity).readonly(),
          }),
          z.strictObject({ kind: z.literal('git'), at: text, workspace_name: text, git_activity: gitActivity }),
          z.strictObject({ kind: z.literal('event'), at: text, workspace_name: textOrNull, event }),
        ]),
      )
      .readonly(),
    next_cursor: textOrNull,
  }),
);

export type TimelinePage = z.infer<typeof timelinePage>;
export type TimelineItem = TimelinePage['items'][number];

/** When sessions were active: what the timeline of the page draws. */
const activity = shape(
  'Activity',
  z.strictObject({
    since: text,
    until: text,
    timezone: text,
    sessions: z
      .array(
        z.strictObject({
          id: text,
          title: textOrNull,
          workspace_key: text.meta({ description: 'Canonical id of the workspace. Several can have the same name.' }),
          workspace_name: text,
          git_branch: textOrNull,
          cost_nanos: countOrNull,
          is_live: z.boolean(),
          /** Each is a turn: start and end in milliseconds since 1970, and the ordinal of its prompt. */
          turns: z.array(z.tuple([count, count, countOrNull]).readonly()).readonly(),
        }),
      )
      .readonly(),
    /** Commits, pushes and pull requests. */
    git_activity: z
      .array(
        z.strictObject({
          at: text,
          type: z.enum(GIT_KINDS),
          session_id: textOrNull,
          workspace_name: text,
          text: text.meta({ description: 'Message of the commit, or branch or number of the pull request.' }),
          commit_sha: textOrNull,
        }),
      )
      .readonly(),
    is_cut: z.boolean().meta({ description: 'Whether the period has more sessions or activity than were returned.' }),
    last_active_at: textOrNull.meta({ description: 'Start of the newest session, in the period or not.' }),
  }),
);
export type Activity = z.infer<typeof activity>;

const name = plainText(MAX_ID_CHARS).optional();

/** What happened during sessions and around them: events, git activity and the timeline of both. */
export const activityEndpoints = {
  'GET /timeline': queryEndpoint({
    about:
      'Sessions with their git activity, git activity outside sessions, and events from scripts, newest first. Git activity has a workspace, device, branch and time, an event a workspace, device and time; any other filter leaves them out.',
    query: z.strictObject({
      limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      types: choices(['session', 'git', 'event']).optional(),
      ...sessionFilters,
    }),
    answer: timelinePage,
  }),
  'GET /activity': queryEndpoint({
    about: 'Turns and git activity in a range of days: when sessions were active.',
    query: z.strictObject({
      since: date.meta({ description: 'First day.' }),
      until: date.meta({ description: 'Last day, inclusive.' }),
      ...sessionFilters,
    }),
    answer: activity,
  }),
  'GET /sessions/:id/events': queryEndpoint({
    about: 'Events of a session, in chronological order.',
    query: z.strictObject({ limit: limit(MAX_EVENT_ROWS, MAX_PAGE_ROWS), cursor }),
    answer: eventPage,
  }),
  'GET /sessions/:id/git': queryEndpoint({
    about: 'Git activity during a session, in chronological order.',
    query: z.strictObject({ limit: limit(MAX_GIT_ROWS, MAX_GIT_ROWS), cursor }),
    answer: gitPage,
  }),
  'GET /events': queryEndpoint({
    about: 'Events of hooks and scripts, newest first.',
    query: z.strictObject({
      limit: limit(MAX_EVENT_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      type: name.meta({ description: 'Only this event type, for example `session.start`.' }),
      session_id: name.meta({ description: 'Only this session: id or unique prefix.' }),
      emitted: flag.optional().meta({ description: '`true`: only events from scripts (`fuel-code emit`).' }),
      workspace_id: inWorkspace,
      device_id: name.meta({ description: 'Only this device: id, name or unique prefix.' }),
      ...times,
    }),
    answer: eventPage,
  }),
};

export type EventsQuery = CheckedQuery<(typeof activityEndpoints)['GET /events']>;

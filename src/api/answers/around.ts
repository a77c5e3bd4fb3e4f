import { z } from 'zod';
import type { EventType } from '../../domain/event.ts';
import { GIT_KINDS } from '../../domain/git.ts';
import { LINKED_BY, RELATIONS } from '../../domain/git-correlation.ts';
import { LIFECYCLES } from '../../domain/session.ts';
import { WORKSPACE_KINDS } from '../../domain/workspace.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, jsonObject, text, textOrNull, texts } from './json.ts';
import { sessionRow } from './session.ts';

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

export const eventPage = z.strictObject({ events: z.array(event).readonly(), next_cursor: textOrNull });
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

export const gitPage = z.strictObject({ git_activity: z.array(gitActivity).readonly(), next_cursor: textOrNull });
export type GitPage = z.infer<typeof gitPage>;

/** The latest result of each pipeline step for a session. */
export const stepList = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        step: text,
        outcome: text,
        error_code: textOrNull,
        error: textOrNull,
        attempts: count,
        duration_ms: count,
        revision: count,
        finished_at: text,
      }),
    )
    .readonly(),
});

export type SessionStep = z.infer<typeof stepList>['steps'][number];

/** A session with the git activity that belongs to it, or git activity outside of every session. */
export const timelinePage = shape(
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
        ]),
      )
      .readonly(),
    next_cursor: textOrNull,
  }),
);

export type TimelinePage = z.infer<typeof timelinePage>;
export type TimelineItem = TimelinePage['items'][number];

const workspace = z.strictObject({
  id: text,
  canonical_id: text,
  display_name: text,
  kind: z.enum(WORKSPACE_KINDS),
  default_branch: textOrNull,
  sessions: count,
  last_active_at: textOrNull,
  cost_estimate_usd: z.number().nullable(),
  unpriced_sessions: count,
  tokens_in: count,
  tokens_out: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  duration_ms: count,
  devices: count,
  first_seen_at: text,
});
const workspaceRow = shape('Workspace', workspace);
export type WorkspaceRow = z.infer<typeof workspaceRow>;

export const workspacePage = z.strictObject({
  workspaces: z.array(workspaceRow).readonly(),
  next_cursor: textOrNull,
});

export type WorkspacePage = z.infer<typeof workspacePage>;

export const workspaceDetail = shape(
  'WorkspaceDetail',
  workspace.extend({
    folders: z
      .array(z.strictObject({ device_name: text, path: text, worktree_name: textOrNull, last_seen_at: text }))
      .readonly(),
    merged: texts,
    commits: count,
    recent_sessions: z
      .array(
        z.strictObject({
          id: text,
          title: textOrNull,
          started_at: text,
          lifecycle: z.enum(LIFECYCLES),
          duration_ms: countOrNull,
        }),
      )
      .readonly(),
  }),
);

export type WorkspaceDetail = z.infer<typeof workspaceDetail>;

const device = z.strictObject({
  id: text,
  name: text,
  type: text,
  hostname: textOrNull,
  os: textOrNull,
  arch: textOrNull,
  status: z.enum(['online', 'offline']),
  first_seen_at: text,
  last_seen_at: text,
  sessions: count,
  last_session_at: textOrNull,
});
const deviceRow = shape('Device', device);
export type DeviceRow = z.infer<typeof deviceRow>;

export const deviceList = z.strictObject({ devices: z.array(deviceRow).readonly() });

export const deviceDetail = shape(
  'DeviceDetail',
  device.extend({
    workspaces: z
      .array(
        z.strictObject({ id: text, display_name: text, local_path: textOrNull, sessions: count, last_active_at: text }),
      )
      .readonly(),
    merged: texts,
  }),
);

export type DeviceDetail = z.infer<typeof deviceDetail>;

const teamMember = shape(
  'TeamMember',
  z.strictObject({
    name: text,
    agent_type: textOrNull,
    model: textOrNull,
    color: textOrNull,
    session_id: textOrNull,
    title: textOrNull,
    agent_ids: texts,
    messages_sent: count,
    messages_received: count,
    total_messages: countOrNull,
    cost_estimate_usd: z.number().nullable(),
  }),
);

export type TeamMember = z.infer<typeof teamMember>;

export const teamList = z.strictObject({
  teams: z
    .array(
      z.strictObject({
        session_id: text,
        team_name: text,
        description: textOrNull,
        lead_agent_id: textOrNull,
        created_at: textOrNull,
        ended_at: textOrNull,
        teammates: count,
        started_at: text,
        members: z.array(teamMember).readonly(),
      }),
    )
    .readonly(),
  next_cursor: textOrNull,
});

export type TeamPage = z.infer<typeof teamList>;
export type TeamRow = TeamPage['teams'][number];

const passRate = z.number().nullable();

export const driftReport = shape(
  'DriftReport',
  z.strictObject({
    records: count,
    known: count,
    pass_rate: passRate,
    versions: z
      .array(z.strictObject({ cc_version: text, records: count, known: count, pass_rate: passRate, sessions: count }))
      .readonly(),
    shapes: z.array(z.strictObject({ what: text, name: text, cc_version: text, count, sessions: count })).readonly(),
  }),
);
export type DriftAnswer = z.infer<typeof driftReport>;

import { z } from 'zod';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { LIFECYCLES } from '../domain/session.ts';
import { WORKSPACE_KINDS } from '../domain/workspace.ts';
import { type CheckedQuery, commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { tokenSums } from './usage.ts';
import { count, countOrNull, cursor, flag, limit, MAX_ID_CHARS, plainText, text, textOrNull, texts } from './values.ts';

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
  ...tokenSums,
  duration_ms: count,
  devices: count,
  first_seen_at: text,
});
const workspaceRow = shape('Workspace', workspace);
export type WorkspaceRow = z.infer<typeof workspaceRow>;

const workspacePage = z.strictObject({
  workspaces: z.array(workspaceRow).readonly(),
  next_cursor: textOrNull,
});

export type WorkspacePage = z.infer<typeof workspacePage>;

const workspaceDetail = shape(
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

const deviceList = z.strictObject({ devices: z.array(deviceRow).readonly() });

const deviceDetail = shape(
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

const MAX_NAME_CHARS = 1_000;
const reference = plainText(MAX_ID_CHARS);

/** Where sessions ran: workspaces and devices. */
export const workspaceEndpoints = {
  'GET /workspaces': queryEndpoint({
    about: 'Workspaces with sessions, last used first.',
    query: z.strictObject({
      limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS),
      cursor,
      all: flag.optional().meta({ description: '`true` includes workspaces without sessions.' }),
    }),
    answer: workspacePage,
  }),
  'GET /workspaces/:workspace_id': queryEndpoint({
    about: 'One workspace by id, canonical id, name or unique prefix, with its folders.',
    answer: workspaceDetail,
  }),
  'GET /devices': queryEndpoint({ about: 'Devices, last seen first.', answer: deviceList }),
  'GET /devices/:device_id': queryEndpoint({
    about: 'One device by id, name or unique prefix, with its workspaces.',
    answer: deviceDetail,
  }),
  'PATCH /workspaces/:workspace_id': commandEndpoint({
    about: 'Renames a workspace, or merges it permanently into another one; returns the resulting workspace.',
    body: z
      .strictObject({ display_name: z.string().max(MAX_NAME_CHARS).optional(), merge_into: reference.optional() })
      .refine((given) => Object.keys(given).length === 1, 'must contain only one of display_name and merge_into'),
    answer: workspaceDetail,
  }),
  'PATCH /devices/:device_id': commandEndpoint({
    about: "Renames a device, or merges it permanently into another one; requires the server's own token.",
    needsServerToken: true,
    body: z
      .strictObject({ name: z.string().max(MAX_NAME_CHARS).optional(), merge_into: reference.optional() })
      .refine((given) => Object.keys(given).length === 1, 'must contain only one of name and merge_into'),
    answer: deviceDetail,
  }),
};

export type WorkspacesQuery = CheckedQuery<(typeof workspaceEndpoints)['GET /workspaces']>;

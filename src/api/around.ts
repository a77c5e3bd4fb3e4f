import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import {
  deviceDetail,
  deviceList,
  driftReport,
  eventPage,
  teamList,
  timelinePage,
  workspaceDetail,
  workspacePage,
} from './answers/around.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { MAX_EVENT_ROWS, MAX_ID_CHARS } from './limits.ts';
import { sessionFilters } from './sessions.ts';
import { cursor, date, flag, limit, plainText, words, zone } from './values.ts';

const name = plainText(MAX_ID_CHARS).optional();

/** The context of sessions: workspaces, devices, teams and other activity. */
export const aroundEndpoints = {
  'GET /timeline': queryEndpoint({
    about:
      'Sessions with their git activity, and git activity outside sessions, newest first. Such activity has a workspace, device, branch and time; any other filter leaves it out.',
    query: z.strictObject({
      limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      types: words(['session', 'git']).optional(),
      ...sessionFilters,
    }),
    answer: timelinePage,
  }),
  'GET /events': queryEndpoint({
    about: 'Hook events of all sessions, newest first.',
    query: z.strictObject({
      limit: limit(MAX_EVENT_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      type: name.meta({ description: 'Only this event type, for example `session.start`.' }),
      workspace_id: name.meta({ description: 'Only this workspace: id, canonical id, name or unique prefix.' }),
      device_id: name.meta({ description: 'Only this device: id, name or unique prefix.' }),
      after: date.optional().meta({ description: 'At this time or later.' }),
      before: date.optional().meta({ description: 'Before this time.' }),
      zone: zone.optional().meta({ description: 'Time zone of dates (default: the zone of the server).' }),
    }),
    answer: eventPage,
  }),
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
  'GET /teams': queryEndpoint({
    about: 'Agent teams with their members and sessions, newest first.',
    query: z.strictObject({ limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS), cursor }),
    answer: teamList,
  }),
  'GET /drift': queryEndpoint({
    about: 'Number of transcript records this version fully knows, by Claude Code version, and what it does not know.',
    answer: driftReport,
  }),
};

export type EventsQuery = CheckedQuery<(typeof aroundEndpoints)['GET /events']>;
export type WorkspacesQuery = CheckedQuery<(typeof aroundEndpoints)['GET /workspaces']>;

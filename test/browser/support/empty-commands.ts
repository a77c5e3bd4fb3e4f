import type { Commands } from '../../../src/app/commands.ts';
import type { DataSource } from '../../../src/app/data-source.ts';

/** Commands that change nothing. */
export function createEmptyCommands({ get }: Pick<DataSource, 'get'>): Commands {
  return {
    'PATCH /sessions': async ({ body }) => ({
      results: body.session_ids.map((session_id) => ({ session_id, is_changed: true, error: null })),
    }),
    'POST /views': async ({ body }) => ({ ...VIEW, ...body }),
    'PATCH /views/:view_id': async ({ body }) => ({ ...VIEW, ...body }),
    'DELETE /views/:view_id': async () => DONE,
    'POST /budgets': async ({ query: { zone } }) => ({ timezone: zone, budgets: [] }),
    'DELETE /budgets/:budget_id': async () => DONE,
    'PATCH /sessions/:id': ({ params }) => get('/sessions/:id', { params }),
    'POST /sessions/:id/notes': ({ params }) => get('/sessions/:id', { params }),
    'PATCH /notes/:note_id': async () => DONE,
    'DELETE /notes/:note_id': async () => DONE,
    'PATCH /workspaces/:workspace_id': ({ params }) => get('/workspaces/:workspace_id', { params }),
    'PATCH /devices/:device_id': ({ params }) => get('/devices/:device_id', { params }),
    'POST /browser-keys': async ({ body }) => ({ id: 'a'.repeat(16), name: body.name, key: `brw_${'a'.repeat(80)}` }),
    'DELETE /browser-keys/:key_id': async () => DONE,
    'POST /sessions/:id/shares': async () => SHARE,
    'DELETE /shares/:share_id': async () => DONE,
    'POST /deletions': async ({ body }) => ({
      results: body.session_ids.map((session_id) => ({ session_id, purge_at: AT, is_deleted: true, error: null })),
      is_removed: body.now,
    }),
    'DELETE /deletions/:session_id': async ({ params }) => ({ session_id: params.session_id }),
    'POST /sessions/:id/reparse': async () => DONE,
    'POST /sessions/:id/restore': async () => DONE,
    'POST /sessions/:id/archive': async () => ({ outcome: 'archived' }),
  };
}

const AT = '2026-11-22T12:00:00.000Z';
const DONE = { ok: true } as const;

const VIEW = {
  id: '01JCS0000000000000000000BB',
  name: 'Harbour',
  q: 'workspace:harbour',
  sort: null,
  order: null,
  group: null,
  created_at: '2026-11-15T12:00:00.000Z',
  updated_at: '2026-11-15T12:00:00.000Z',
};

const SHARE = {
  id: '01JCS0000000000000000000AA',
  session_id: '6f1d2c3b-0000-4000-8000-000000000001',
  title: 'Fix the ferry timetable',
  note: null,
  size_bytes: 12,
  redacted: {},
  created_at: '2026-11-15T12:00:00.000Z',
  expires_at: '2026-11-22T12:00:00.000Z',
  path: '/s/0123456789abcdefghijkl',
  url: '/s/0123456789abcdefghijkl',
};

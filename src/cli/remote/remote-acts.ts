import type { Client } from '../../client/client.ts';
import type { TagMode } from '../../domain/annotation.ts';
import type { Deeds } from '../source.ts';

/** What is changed, changed on a server. */
export function remoteActs(client: Client): Deeds {
  return {
    tag: async (id, mode, tags) =>
      void (await client.patch('/sessions/:id', { params: { id }, body: { [TAG_FIELDS[mode]]: [...tags] } })),
    pin: async (id, isPinned) =>
      void (await client.patch('/sessions/:id', { params: { id }, body: { is_pinned: isPinned } })),
    addNote: async (id, text) => void (await client.post('/sessions/:id/notes', { params: { id }, body: { text } })),
    editNote: async (note_id, text) =>
      void (await client.patch('/notes/:note_id', { params: { note_id }, body: { text } })),
    removeNote: async (note_id) => void (await client.delete('/notes/:note_id', { params: { note_id } })),
    renameWorkspace: async (workspace_id, display_name) =>
      void (await client.patch('/workspaces/:workspace_id', { params: { workspace_id }, body: { display_name } })),
    mergeWorkspaces: async (workspace_id, merge_into) =>
      void (await client.patch('/workspaces/:workspace_id', { params: { workspace_id }, body: { merge_into } })),
    renameDevice: async (device_id, name) =>
      void (await client.patch('/devices/:device_id', { params: { device_id }, body: { name } })),
    mergeDevices: async (device_id, merge_into) =>
      void (await client.patch('/devices/:device_id', { params: { device_id }, body: { merge_into } })),
    share: (id, { expiresInMs, note }) => {
      const expires = expiresInMs === undefined ? {} : { expires_in: Math.round(expiresInMs / 1_000) };
      return client.post('/sessions/:id/shares', { params: { id }, body: { ...expires, note } });
    },
    revokeShare: async (share_id) => void (await client.delete('/shares/:share_id', { params: { share_id } })),
    moveSession: async (id, workspace_id) =>
      void (await client.patch('/sessions/:id', { params: { id }, body: { workspace_id } })),
  };
}

const TAG_FIELDS = { set: 'tags', add: 'add_tags', remove: 'remove_tags' } as const satisfies Record<TagMode, string>;

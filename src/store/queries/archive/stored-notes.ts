import type { Annotation } from '../../../domain/annotation.ts';
import type { DeviceFacts } from '../../../domain/device-facts.ts';
import type { DeviceNote, WorkspaceNote } from '../../../domain/workspace-note.ts';
import type { Tx } from '../../engine.ts';

/** Lists the current annotations of sessions. */
export async function listStoredAnnotations(db: Tx): Promise<readonly Annotation[]> {
  const tags = await db.selectFrom('session_tags').selectAll().orderBy('tag').execute();
  const tagged = [...Map.groupBy(tags, ({ session_id }) => session_id)].map(([sessionId, rows]): Annotation => {
    const at = rows.map(({ created_at }) => created_at).reduce((a, b) => (a > b ? a : b));
    return { at, sessionId, what: 'tagged', tags: rows.map(({ tag }) => tag) };
  });
  const notes = (await db.selectFrom('session_notes').selectAll().orderBy('created_at').execute()).map(
    ({ id, session_id, text, created_at, updated_at }): Annotation => {
      return { at: updated_at, sessionId: session_id, what: 'note_written', id, text, createdAt: created_at };
    },
  );
  const pins = (await db.selectFrom('session_pins').selectAll().execute()).map(
    ({ session_id, pinned_at }): Annotation => ({
      at: pinned_at,
      sessionId: session_id,
      what: 'pinned',
      isPinned: true,
    }),
  );
  return [...tagged, ...notes, ...pins, ...(await listHumanSummaries(db))];
}

async function listHumanSummaries(db: Tx): Promise<readonly Annotation[]> {
  const rows = await db
    .selectFrom('session_summaries')
    .select(['session_id', 'text', 'made_at'])
    .where('kind', '=', 'human')
    .execute();
  return rows.map(({ session_id, text, made_at }) => {
    return { at: made_at ?? '', sessionId: session_id, what: 'summarised', text };
  });
}

/** Lists the current decisions about workspaces: where sessions belong, and which workspaces are merged. */
export async function listStoredWorkspaceNotes(db: Tx): Promise<readonly WorkspaceNote[]> {
  const merged = await db
    .selectFrom('workspaces as w')
    .innerJoin('workspaces as i', 'i.id', 'w.merged_into')
    .select(['w.canonical_id', 'w.updated_at', 'i.canonical_id as into_id', 'i.display_name as into_name'])
    .execute();
  const decided = await db
    .selectFrom('session_workspaces as d')
    .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
    .leftJoin('sessions as s', 's.id', 'd.session_id')
    .select(['d.session_id', 'd.is_chosen', 'd.decided_at', 'w.canonical_id', 'w.display_name', 's.device_id'])
    .execute();
  const named = await db.selectFrom('workspaces').select(['canonical_id', 'display_name', 'updated_at']).execute();
  return [
    ...named.map(({ canonical_id, display_name, updated_at }): WorkspaceNote => {
      return { at: updated_at, what: 'workspace_renamed', canonicalId: canonical_id, displayName: display_name };
    }),
    ...decided.flatMap((row): readonly WorkspaceNote[] => {
      const workspace = { canonicalId: row.canonical_id, displayName: row.display_name };
      const note = { at: row.decided_at, sessionId: row.session_id, workspace };
      if (row.is_chosen) return [{ ...note, what: 'session_moved' }];
      if (row.device_id === null) return [];
      return [{ ...note, what: 'session_seen', deviceId: row.device_id, folder: null }];
    }),
    ...merged.map((row): WorkspaceNote => {
      const into = { canonicalId: row.into_id, displayName: row.into_name };
      return { at: row.updated_at, what: 'workspace_merged', from: row.canonical_id, into };
    }),
  ];
}

export async function listStoredDevices(db: Tx): Promise<readonly DeviceFacts[]> {
  const rows = await db.selectFrom('devices').selectAll().orderBy('first_seen_at').execute();
  return rows.map(({ id, name, hostname, os, arch, type, last_seen_at }) => ({
    at: last_seen_at,
    type: type === 'remote' ? 'remote' : 'local',
    device: { id, name, hostname: hostname ?? '', os: os ?? '', arch: arch ?? '' },
  }));
}

/** Lists the names that users gave to devices, and the devices they merged. */
export async function listStoredDeviceNotes(db: Tx): Promise<readonly DeviceNote[]> {
  const rows = await db.selectFrom('devices').select(['id', 'custom_name', 'merged_into', 'last_seen_at']).execute();
  return rows.flatMap(({ id, custom_name, merged_into, last_seen_at: at }): readonly DeviceNote[] => [
    ...(custom_name === null ? [] : [{ at, what: 'device_renamed', deviceId: id, name: custom_name } as const]),
    ...(merged_into === null ? [] : [{ at, what: 'device_merged', from: id, into: merged_into } as const]),
  ]);
}

import { describe, expect, it } from 'vitest';
import { toJournal } from '../../src/domain/journal-note.ts';
import type { ResolvedWorkspace, SeenFolder } from '../../src/domain/workspace.ts';
import { type WorkspaceNote, workspaceNoteFromJournal } from '../../src/domain/workspace-note.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { insertEvents } from '../../src/store/queries/events/events.ts';
import { markBytesCaptured } from '../../src/store/queries/sessions/session-state.ts';
import {
  applyWorkspaceNote,
  mergeWorkspaces,
  moveSession,
  renameWorkspace,
} from '../../src/store/queries/workspaces/workspace-decisions.ts';
import {
  findWorkspace,
  getWorkspaceDetail,
  listWorkspaces,
} from '../../src/store/queries/workspaces/workspace-rows.ts';
import {
  assignWorkspaces,
  loadFolders,
  saveWorkspace,
  workspaceRowId,
} from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const DEVICE = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
const LATER = '2026-11-16T12:00:00.000Z';
const SHOP = { canonicalId: 'github.com/ada/shop', displayName: 'Shop' };
const NOTES = { canonicalId: 'folder:device-1:/home/ada/notes', displayName: 'notes' };
const LOCAL = { canonicalId: `local:${'a'.repeat(64)}`, displayName: 'shop' };

const seenAt = (path: string, more: Partial<SeenFolder> = {}): SeenFolder => ({
  path,
  root: path,
  isRepository: true,
  worktreeName: null,
  fingerprint: null,
  ...more,
});
const resolved = (
  identity: { readonly canonicalId: string; readonly displayName: string },
  folder: SeenFolder | null = null,
): ResolvedWorkspace => ({ ...identity, defaultBranch: null, folder });

async function addSession(store: Store, id: string, cwd: string | null = null, deviceId = DEVICE.id): Promise<void> {
  const { kysely } = store.engine;
  await saveDevice(kysely, { ...DEVICE, id: deviceId }, NOW);
  const none = { canonicalId: '_unassociated', displayName: '(no folder)' };
  const workspaceId = await saveWorkspace(kysely, none, NOW);
  await markBytesCaptured(
    kysely,
    { id, workspaceId, deviceId, startedAt: NOW, source: 'backfill' },
    { files: 1, lastWriteMs: Date.parse(NOW) },
    NOW,
  );
  await kysely.updateTable('sessions').set({ cwd }).where('id', '=', id).execute();
}

/** Assigns a workspace like an import and stores it in the session's row. */
async function place(store: Store, id: string, workspace: ResolvedWorkspace): Promise<readonly WorkspaceNote[]> {
  return store.engine.transaction(async (tx) => {
    const assigned = await assignWorkspaces(tx, DEVICE.id, new Map([[id, workspace]]), NOW);
    await tx
      .updateTable('sessions')
      .set({ workspace_id: assigned.ids.get(id) as string })
      .where('id', '=', id)
      .execute();
    return assigned.notes;
  });
}

async function where(store: Store, id: string): Promise<string> {
  const { canonical_id } = await store.engine.kysely
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .select('w.canonical_id')
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow();
  return canonical_id;
}

describe.each(STORES)('workspaces on $name', ({ open }) => {
  it('a session keeps the workspace its folder had when first seen', async () => {
    await using store = await open();
    await addSession(store, 's', '/r');
    await place(store, 's', resolved(SHOP, seenAt('/r')));
    expect(await place(store, 's', resolved({ canonicalId: 'github.com/ada/fork', displayName: 'fork' }))).toEqual([]);
    expect(await where(store, 's')).toBe(SHOP.canonicalId);
    await place(store, 's', resolved(NOTES));
    expect(await where(store, 's')).toBe(SHOP.canonicalId);
  });

  it('better information about a folder also applies to earlier sessions, but not to nested repositories', async () => {
    await using store = await open();
    for (const [id, cwd] of Object.entries({ top: '/r', sub: '/r/src', inner: '/r/vendor/lib', beside: '/r2' })) {
      await addSession(store, id, cwd);
    }
    const inner = { canonicalId: `local:${'b'.repeat(64)}`, displayName: 'lib' };
    await place(store, 'top', resolved(LOCAL, seenAt('/r')));
    await place(store, 'sub', resolved(LOCAL, seenAt('/r/src', { root: '/r' })));
    await place(store, 'inner', resolved(inner, seenAt('/r/vendor/lib')));
    await place(store, 'beside', resolved(LOCAL, seenAt('/r2')));
    await addSession(store, 'new', '/r');
    await place(store, 'new', resolved(SHOP, seenAt('/r')));
    expect(await Promise.all(['top', 'sub', 'new', 'inner', 'beside'].map((id) => where(store, id)))).toEqual([
      SHOP.canonicalId,
      SHOP.canonicalId,
      SHOP.canonicalId,
      inner.canonicalId,
      LOCAL.canonicalId,
    ]);
    await place(store, 'top', resolved(LOCAL, seenAt('/r')));
    expect(await where(store, 'top'), 'not back again').toBe(SHOP.canonicalId);
  });

  it('a plain folder that becomes a repository keeps its sessions', async () => {
    await using store = await open();
    await addSession(store, 'old', '/r/notes');
    const plain = { canonicalId: 'folder:device-1:/r/notes', displayName: 'notes' };
    await place(store, 'old', resolved(plain, seenAt('/r/notes', { isRepository: false })));
    await addSession(store, 'new', '/r');
    await place(store, 'new', resolved(LOCAL, seenAt('/r')));
    expect(await where(store, 'old')).toBe(LOCAL.canonicalId);
  });

  it("another machine's session is not assigned by this machine's folders", async () => {
    await using store = await open();
    await addSession(store, 'far', '/r', 'device-2');
    expect(await place(store, 'far', resolved(SHOP, seenAt('/r')))).toEqual([]);
    expect(await where(store, 'far')).toBe('_unassociated');
    expect(await loadFolders(store.engine.kysely, DEVICE.id)).toEqual([]);
  });

  it('folders of any name and length are remembered as they were seen', async () => {
    await using store = await open();
    const paths = ['/a', '/ü/😀 "x\'', `/${'long/'.repeat(700)}end`, '/line\nbreak'];
    for (const [n, path] of paths.entries()) {
      await addSession(store, `s${n}`, path);
      const folder = seenAt(path, { fingerprint: `1:${n}`, worktreeName: n === 1 ? 'tree' : null });
      await place(store, `s${n}`, resolved({ canonicalId: `folder:device-1:${path}`, displayName: 'x' }, folder));
    }
    const folders = await loadFolders(store.engine.kysely, DEVICE.id);
    expect(folders.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
    const long = folders.find(({ path }) => path.length > 1_000);
    expect(long).toMatchObject({ fingerprint: '1:2', isRepository: true });
    // A remembered workspace must lead to the same row, however long its id is.
    await addSession(store, 'again');
    await place(store, 'again', resolved(long?.workspace ?? NOTES));
    expect(await where(store, 'again')).toBe(await where(store, 's2'));
  });

  it('merge: everything moves, and later imports follow', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await addSession(store, 's', '/home/ada/notes');
    await addSession(store, 't', '/r');
    await place(store, 's', resolved(NOTES, seenAt('/home/ada/notes', { isRepository: false })));
    await place(store, 't', resolved(SHOP, seenAt('/r')));
    const event = { id: 'e', type: 'session.start' as const, timestamp: NOW, device_id: DEVICE.id, data: {} };
    await insertEvents(kysely, [{ ...event, session_id: 's' }], NOW);
    await kysely
      .updateTable('events')
      .set({ workspace_id: workspaceRowId(NOTES.canonicalId) })
      .execute();
    await store.engine.transaction((tx) => mergeWorkspaces(tx, 'notes', 'shop', LATER));
    expect(await where(store, 's')).toBe(SHOP.canonicalId);
    const shop = workspaceRowId(SHOP.canonicalId);
    for (const table of ['events', 'workspace_folders', 'session_workspaces', 'workspace_devices'] as const) {
      const rows = await kysely.selectFrom(table).select('workspace_id').distinct().execute();
      expect(rows, table).toEqual([{ workspace_id: shop }]);
    }
    await addSession(store, 'late', '/home/ada/notes');
    await place(store, 'late', resolved(NOTES, seenAt('/home/ada/notes', { isRepository: false })));
    expect(await where(store, 'late')).toBe(SHOP.canonicalId);
    expect((await listWorkspaces(kysely)).map(({ canonical_id, sessions }) => [canonical_id, sessions])).toEqual([
      [SHOP.canonicalId, 3],
    ]);
    expect((await getWorkspaceDetail(kysely, 'shop')).merged).toEqual([NOTES.canonicalId]);
    await store.engine.transaction((tx) => mergeWorkspaces(tx, 'shop', '_unassociated', LATER));
    expect((await findWorkspace(kysely, NOTES.canonicalId)).canonical_id).toBe('_unassociated');
    await expect(mergeWorkspaces(kysely, 'notes', '_unassociated', LATER)).rejects.toMatchObject({ code: 'usage' });
  });

  it('move: a person’s decision overrides imports, better information and merges', async () => {
    await using store = await open();
    await addSession(store, 'abc-1', '/r');
    await place(store, 'abc-1', resolved(LOCAL, seenAt('/r')));
    await saveWorkspace(store.engine.kysely, NOTES, NOW);
    await store.engine.transaction((tx) => moveSession(tx, 'abc', 'notes', LATER));
    expect(await where(store, 'abc-1')).toBe(NOTES.canonicalId);
    await place(store, 'abc-1', resolved(SHOP, seenAt('/r')));
    await addSession(store, 'other', '/r');
    await place(store, 'other', resolved(SHOP, seenAt('/r')));
    expect(await where(store, 'abc-1')).toBe(NOTES.canonicalId);
    await place(store, 'abc-1', resolved(SHOP, seenAt('/r')));
    expect(await where(store, 'abc-1')).toBe(NOTES.canonicalId);
    await expect(moveSession(store.engine.kysely, 'abc', 'nowhere', LATER)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('F19: the journal alone restores the same workspaces in a new store', async () => {
    const journal: string[] = [];
    const log = (notes: readonly WorkspaceNote[]) => {
      for (const note of notes) journal.push(JSON.stringify(toJournal(note)));
    };
    await using store = await open();
    for (const [id, cwd] of Object.entries({ a: '/r', b: '/home/ada/notes', c: '/r/src' }))
      await addSession(store, id, cwd);
    log(await place(store, 'a', resolved(LOCAL, seenAt('/r'))));
    log(await place(store, 'b', resolved(NOTES, seenAt('/home/ada/notes', { isRepository: false }))));
    log(await place(store, 'c', resolved(SHOP, seenAt('/r/src', { root: '/r' }))));
    log([await store.engine.transaction((tx) => renameWorkspace(tx, 'Shop', ' My  Shop ', LATER))]);
    log([await store.engine.transaction((tx) => mergeWorkspaces(tx, 'notes', 'My Shop', LATER))]);
    await saveWorkspace(store.engine.kysely, { canonicalId: 'github.com/x/y', displayName: 'y' }, NOW);
    log([await store.engine.transaction((tx) => moveSession(tx, 'b', 'y', LATER))]);

    await using other = await open();
    await saveDevice(other.engine.kysely, DEVICE, NOW);
    for (const line of journal) {
      const note = workspaceNoteFromJournal(JSON.parse(line));
      if (note === null) throw new Error(`no note: ${line}`);
      await other.engine.transaction((tx) => applyWorkspaceNote(tx, note));
      await other.engine.transaction((tx) => applyWorkspaceNote(tx, note));
    }
    for (const [id, cwd] of Object.entries({ a: '/r', b: '/home/ada/notes', c: '/r/src' })) {
      await addSession(other, id, cwd);
      // The folders no longer exist, so the resolver only has what is remembered.
      const known = (await loadFolders(other.engine.kysely, DEVICE.id)).find(({ path }) => path === cwd);
      await place(other, id, resolved(known?.workspace ?? NOTES));
    }
    for (const id of ['a', 'b', 'c']) expect(await where(other, id), id).toBe(await where(store, id));
    expect((await findWorkspace(other.engine.kysely, SHOP.canonicalId)).display_name).toBe('My Shop');
  });

  it('are found by id, canonical id, any spelling of the remote, name, or a unique prefix', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    const all = [
      SHOP,
      NOTES,
      { canonicalId: 'github.com/bob/shop', displayName: 'shop' },
      { canonicalId: 'github.com/bob/ledger', displayName: 'ledger' },
    ];
    for (const workspace of all) await saveWorkspace(kysely, workspace, NOW);
    const find = async (name: string) => (await findWorkspace(kysely, name)).canonical_id;
    expect(await find(workspaceRowId(NOTES.canonicalId))).toBe(NOTES.canonicalId);
    expect(await find('Shop')).toBe(SHOP.canonicalId);
    expect(await find('shop')).toBe('github.com/bob/shop');
    expect(await find('git@github.com:Bob/Ledger.git')).toBe('github.com/bob/ledger');
    expect(await find('LEDGER')).toBe('github.com/bob/ledger');
    expect(await find('led')).toBe('github.com/bob/ledger');
    await expect(find('SHOP')).rejects.toMatchObject({
      code: 'ambiguous',
      message: expect.stringContaining('bob/shop'),
    });
    await expect(find('github.com/')).rejects.toMatchObject({ code: 'ambiguous' });
    await expect(find('edge')).rejects.toMatchObject({ code: 'not_found', hint: expect.stringContaining('ledger') });
    await expect(find('%')).rejects.toMatchObject({ code: 'not_found' });
    await expect(find('')).rejects.toMatchObject({ code: 'usage' });
    await expect(find('a\0b')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are listed by last use, with sessions and cost', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    for (const id of ['a', 'b', 'c']) await addSession(store, id);
    await place(store, 'a', resolved(SHOP));
    await place(store, 'b', resolved(SHOP));
    await place(store, 'c', resolved(NOTES));
    const set = (id: string, more: object) => kysely.updateTable('sessions').set(more).where('id', '=', id).execute();
    await set('a', { cost_nanos: 1_500_000_000, started_at: '2026-01-01T00:00:00.000Z' });
    await set('b', { unknown_models: '["x"]', started_at: '2026-01-02T00:00:00.000Z' });
    await set('c', { started_at: '2026-02-01T00:00:00.000Z', ended_at: LATER });
    expect(await listWorkspaces(kysely)).toMatchObject([
      { canonical_id: NOTES.canonicalId, kind: 'folder', sessions: 1, last_active_at: LATER, cost_estimate_usd: null },
      {
        canonical_id: SHOP.canonicalId,
        kind: 'remote',
        sessions: 2,
        last_active_at: '2026-01-02T00:00:00.000Z',
        cost_estimate_usd: 1.5,
        unpriced_sessions: 1,
      },
    ]);
    expect((await listWorkspaces(kysely, { isAll: true })).map(({ canonical_id }) => canonical_id)).toContain(
      '_unassociated',
    );
    await expect(renameWorkspace(kysely, 'notes', ' ', NOW)).rejects.toMatchObject({ code: 'usage' });
  });
});

import { annotate } from './annotate.ts';
import type { App } from './open-app.ts';
import type { Annotation } from '../domain/annotation.ts';
import type { Clock } from '../domain/ports.ts';
import { type DeviceNote, toJournal, type WorkspaceNote } from '../domain/workspace-note.ts';
import { ulid } from '../lib/ulid.ts';
import type { Acts } from './command-types.ts';
import type { Tx } from '../store/engine.ts';
import {
  addNote,
  editNote,
  pinSession,
  removeNote,
  tagSession,
  writeOwnSummary,
} from '../store/queries/people/annotations.ts';
import { noteChange } from '../store/queries/sessions/changes.ts';
import { mergeDevices, renameDevice } from '../store/queries/devices/device-decisions.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { markUnparsed } from '../store/queries/sessions/session-state.ts';
import { mergeWorkspaces, moveSession, renameWorkspace } from '../store/queries/workspaces/workspace-decisions.ts';

type ActingApp = Pick<App, 'journal' | 'blobs' | 'device' | 'openLine' | 'openSharing'> & {
  readonly store: Pick<App['store'], 'engine'>;
};

/** What people may do, through the API or in the terminal, done on the opened program. `onWork` is told when there is something to parse. */
export function createActs(app: ActingApp, clock: Clock, onWork: () => void): Acts {
  const { kysely } = app.store.engine;
  const now = () => clock.now().toISOString();
  const say = async (change: (tx: Tx) => Promise<Annotation>) => {
    const { sessionId } = await annotate(app, change);
    await noteChange(kysely, sessionId);
  };
  return {
    tag: (session, mode, tags) => say((tx) => tagSession(tx, { session, mode, tags }, now())),
    pin: (session, isPinned) => say((tx) => pinSession(tx, session, isPinned, now())),
    addNote: (session, text) => say((tx) => addNote(tx, { session, id: ulid(clock.now()), text }, now())),
    editNote: (noteId, text) => say((tx) => editNote(tx, noteId, text, now())),
    removeNote: (noteId) => say((tx) => removeNote(tx, noteId, now())),
    summarise: (session, text) => say((tx) => writeOwnSummary(tx, session, text, now())),
    renameWorkspace: (workspace, name) => decide(app, (tx) => renameWorkspace(tx, workspace, name, now())),
    mergeWorkspaces: (from, into) => decide(app, (tx) => mergeWorkspaces(tx, from, into, now())),
    renameDevice: (device, name) => decide(app, (tx) => renameDevice(tx, device, name, now())),
    mergeDevices: (from, into) =>
      decide(app, (tx) => mergeDevices(tx, { from, into, ownDeviceId: app.device.id }, now())),
    moveSession: (session, workspace) => decide(app, (tx) => moveSession(tx, session, workspace, now())),
    share: async (session, wish) => {
      const { makeShare } = await import('../share/make-share.ts');
      return makeShare(await app.openSharing(), session, wish);
    },
    revokeShare: async (shareId) => {
      const { revokeShare } = await import('../share/remove-shares.ts');
      await revokeShare({ engine: app.store.engine, blobs: app.blobs }, shareId);
    },
    reparse: async (session) => {
      const { id } = await findSession(kysely, session);
      await markUnparsed(kysely, [id], now());
      onWork();
    },
    archive: async (session) => {
      const { id } = await findSession(kysely, session);
      const { archiveSession } = await import('../pipeline/archive-session.ts');
      return (await archiveSession(await app.openLine(), id)) !== null;
    },
  };
}

/** Into the store and into the journal, so that a rebuild remembers it. */
async function decide(
  { store, journal }: ActingApp,
  change: (tx: Tx) => Promise<WorkspaceNote | DeviceNote>,
): Promise<void> {
  await store.engine.transaction(async (tx) => {
    await journal.append(toJournal(await change(tx)));
    await journal.flush();
  });
}

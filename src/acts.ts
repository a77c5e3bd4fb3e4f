import { annotate } from './annotate.ts';
import type { App } from './app.ts';
import type { Annotation } from './domain/annotation.ts';
import type { Clock } from './domain/ports.ts';
import { ulid } from './lib/ulid.ts';
import type { Acts } from './server/acts.ts';
import type { Tx } from './store/engine.ts';
import {
  addNote,
  editNote,
  pinSession,
  removeNote,
  summariseSession,
  tagSession,
} from './store/queries/annotations.ts';
import { noteChange } from './store/queries/changes.ts';
import { findSession } from './store/queries/session-rows.ts';
import { markUnparsed } from './store/queries/session-state.ts';

/** What people may do through the API, done on the opened program. `onWork` is told when there is something to parse. */
export function createActs(
  app: Pick<App, 'journal' | 'openLine'> & { readonly store: Pick<App['store'], 'engine'> },
  clock: Clock,
  onWork: () => void,
): Acts {
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
    summarise: (session, text) => say((tx) => summariseSession(tx, session, text, now())),
    reparse: async (session) => {
      const { id } = await findSession(kysely, session);
      await markUnparsed(kysely, [id], now());
      onWork();
    },
    archive: async (session) => {
      const { id } = await findSession(kysely, session);
      const { archiveSession } = await import('./pipeline/archive-session.ts');
      return (await archiveSession(await app.openLine(), id)) !== null;
    },
  };
}

import { sql } from 'kysely';
import type { SessionNote } from '../../../api/sessions.ts';
import { type Annotation, changeTags, readNoteText, readTitle, type TagMode } from '../../../domain/annotation.ts';
import { FuelError, refuseEmpty } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { startsWith } from '../../sql.ts';
import { cleanJson, cleanText } from '../../text.ts';
import { findSession } from '../sessions/session-rows.ts';
import { saveHumanSummary, saveHumanTitle } from '../summaries/summaries.ts';

/**
 * Tags, notes, pins, titles and summaries. They depend only on the session id, never on parsed rows. Each change
 * returns the annotation for the journal. Run them in a transaction. Errors: not_found, ambiguous, usage.
 */

interface TagChange {
  readonly session: string;
  readonly mode: TagMode;
  readonly tags: readonly string[];
}

export async function tagSession(tx: Tx, { session, mode, tags }: TagChange, at: string): Promise<Annotation> {
  const { id: sessionId } = await findSession(tx, session);
  const changed = changeTags(await listTags(tx, sessionId), mode, tags);
  return carryOut(tx, { at, sessionId, what: 'tagged', tags: changed });
}

export async function pinSession(tx: Tx, session: string, isPinned: boolean, at: string): Promise<Annotation> {
  const { id: sessionId } = await findSession(tx, session);
  return carryOut(tx, { at, sessionId, what: 'pinned', isPinned });
}

/** A summary written by the user takes precedence over every other one; null removes it. */
export async function writeOwnSummary(tx: Tx, session: string, text: string | null, at: string): Promise<Annotation> {
  const { id: sessionId } = await findSession(tx, session);
  return carryOut(tx, { at, sessionId, what: 'summarised', text: text?.trim() || null });
}

/** A title written by the user takes precedence over every other one; null or a blank one removes it. */
export async function writeOwnTitle(tx: Tx, session: string, title: string | null, at: string): Promise<Annotation> {
  const { id: sessionId } = await findSession(tx, session);
  return carryOut(tx, { at, sessionId, what: 'titled', title: readTitle(title) });
}

interface NewNote {
  readonly session: string;
  readonly id: string;
  readonly text: string;
}

export async function addNote(tx: Tx, { session, id, text }: NewNote, at: string): Promise<Annotation> {
  const { id: sessionId } = await findSession(tx, session);
  return carryOut(tx, { at, sessionId, what: 'note_written', id, text: readNoteText(text), createdAt: at });
}

export async function editNote(tx: Tx, noteId: string, text: string, at: string): Promise<Annotation> {
  const { id, session_id, created_at } = await findNote(tx, noteId);
  return carryOut(tx, {
    at,
    sessionId: session_id,
    what: 'note_written',
    id,
    text: readNoteText(text),
    createdAt: created_at,
  });
}

export async function removeNote(tx: Tx, noteId: string, at: string): Promise<Annotation> {
  const { id, session_id } = await findNote(tx, noteId);
  return carryOut(tx, { at, sessionId: session_id, what: 'note_removed', id });
}

async function carryOut(tx: Tx, annotation: Annotation): Promise<Annotation> {
  await applyAnnotation(tx, annotation);
  return annotation;
}

/** Applies an annotation from the journal; idempotent. */
export async function applyAnnotation(tx: Tx, annotation: Annotation): Promise<void> {
  const { at, sessionId } = annotation;
  switch (annotation.what) {
    case 'tagged':
      return saveTags(tx, sessionId, annotation.tags, at);
    case 'pinned':
      await tx.deleteFrom('session_pins').where('session_id', '=', sessionId).execute();
      if (annotation.isPinned)
        await tx.insertInto('session_pins').values({ session_id: sessionId, pinned_at: at }).execute();
      return;
    case 'summarised':
      return saveHumanSummary(tx, sessionId, annotation.text, at);
    case 'titled':
      return saveHumanTitle(tx, sessionId, annotation.title, at);
    case 'note_removed':
      await tx.deleteFrom('session_notes').where('id', '=', annotation.id).execute();
      return;
    case 'note_written': {
      const text = cleanText(annotation.text);
      await tx
        .insertInto('session_notes')
        .values({ id: annotation.id, session_id: sessionId, text, created_at: annotation.createdAt, updated_at: at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ text, updated_at: at }))
        .execute();
    }
  }
}

/** Tags are repeated in the session's row, so that lists need no second query. */
async function saveTags(tx: Tx, sessionId: string, tags: readonly string[], at: string): Promise<void> {
  const kept = tags.length === 0 ? sql<boolean>`TRUE` : sql<boolean>`tag NOT IN (${sql.join(tags)})`;
  await tx.deleteFrom('session_tags').where('session_id', '=', sessionId).where(kept).execute();
  for (const tag of tags) {
    await tx
      .insertInto('session_tags')
      .values({ session_id: sessionId, tag, created_at: at })
      .onConflict((conflict) => conflict.columns(['session_id', 'tag']).doNothing())
      .execute();
  }
  await tx
    .updateTable('sessions')
    .set({ tags: cleanJson(tags) })
    .where('id', '=', sessionId)
    .execute();
}

/** Copies tags to the rows of all sessions, after tags were written without them. */
export async function showTags(db: Tx): Promise<void> {
  const tagged = await db.selectFrom('session_tags').select('session_id').distinct().execute();
  for (const { session_id } of tagged) await showTagsOf(db, session_id);
}

export async function showTagsOf(db: Tx, sessionId: string): Promise<void> {
  const tags = cleanJson(await listTags(db, sessionId));
  await db.updateTable('sessions').set({ tags }).where('id', '=', sessionId).execute();
}

export async function listTags(db: Tx, sessionId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('session_tags')
    .select('tag')
    .where('session_id', '=', sessionId)
    .orderBy('tag')
    .execute();
  return rows.map(({ tag }) => tag).toSorted();
}

export async function listNotes(db: Tx, sessionId: string): Promise<readonly SessionNote[]> {
  return db
    .selectFrom('session_notes')
    .select(['id', 'text', 'created_at', 'updated_at'])
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Finds a note by its id or a prefix of it. Errors: usage, not_found, ambiguous. */
async function findNote(tx: Tx, noteId: string) {
  refuseEmpty(noteId, 'note id');
  const rows = await tx
    .selectFrom('session_notes')
    .select(['id', 'session_id', 'created_at'])
    .where(startsWith(sql.ref('id'), cleanText(noteId)))
    .orderBy('id')
    .limit(2)
    .execute();
  const [note, other] = rows;
  if (note === undefined)
    throw new FuelError('not_found', `No note ${JSON.stringify(noteId)}.`, {
      hint: '`fuel-code note <session>` lists the notes of a session.',
    });
  if (other !== undefined && note.id !== noteId) {
    throw new FuelError('ambiguous', `Several notes match ${JSON.stringify(noteId)}.`, {
      hint: 'Use a longer prefix of its id.',
    });
  }
  return note;
}

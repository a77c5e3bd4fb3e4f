import { FuelError } from './errors.ts';
import { journalFields } from './journal-note.ts';
import type { JsonObject } from './transcript.ts';

/** What users add to a session. Transcripts do not contain it, so the journal keeps it beside the captures. */
export type Annotation = { readonly at: string; readonly sessionId: string } & (
  | { readonly what: 'tagged'; readonly tags: readonly string[] }
  | { readonly what: 'note_written'; readonly id: string; readonly text: string; readonly createdAt: string }
  | { readonly what: 'note_removed'; readonly id: string }
  | { readonly what: 'pinned'; readonly isPinned: boolean }
  /** A user's own summary; null removes it. */
  | { readonly what: 'summarised'; readonly text: string | null }
  /** A user's own title; null returns to the automatic one. */
  | { readonly what: 'titled'; readonly title: string | null }
);

const TAG_MODES = ['set', 'add', 'remove'] as const;
export type TagMode = (typeof TAG_MODES)[number];

const MAX_TAGS = 50;
const MAX_TAG_CHARS = 64;
export const MAX_NOTE_CHARS = 20_000;

/** The tags of a session after the change, in order. Errors: usage for an invalid tag, or too many. */
export function changeTags(current: readonly string[], mode: TagMode, given: readonly string[]): readonly string[] {
  const tags = given.map(readTag);
  if (mode === 'remove') return current.filter((tag) => !tags.includes(tag));
  const all = [...new Set([...(mode === 'add' ? current : []), ...tags])].toSorted();
  if (all.length > MAX_TAGS) {
    throw new FuelError('usage', `Too many tags: ${all.length}. A session can have at most ${MAX_TAGS}.`, {
      hint: 'Remove some first.',
    });
  }
  return all;
}

/** Tags are words without case: letters and digits, with . _ : / + # - inside. */
function readTag(given: string): string {
  const tag = given.normalize('NFC').trim().toLowerCase();
  if (tag.length <= MAX_TAG_CHARS && /^[\p{L}\p{N}][\p{L}\p{N}._:/+#-]*$/u.test(tag)) return tag;
  throw new FuelError('usage', `Invalid tag ${JSON.stringify(given.slice(0, 80))}.`, {
    hint: `A tag is one word of up to ${MAX_TAG_CHARS} letters and digits; it may contain . _ : / + # -`,
  });
}

/** Errors: usage for an empty note, or one that is too long. */
export function readNoteText(given: string): string {
  const text = given.trim();
  if (text === '') throw new FuelError('usage', 'A note cannot be empty.');
  if (text.length <= MAX_NOTE_CHARS) return text;
  throw new FuelError('too_large', `The note has ${text.length} characters; the maximum is ${MAX_NOTE_CHARS}.`, {
    hint: 'Shorten it, or keep the text in a file and note its path.',
  });
}

export const MAX_SUMMARY_CHARS = 10_000;
export const MAX_TITLE_CHARS = 300;

/** A title as one line; null when nothing remains. Errors: too_large. */
export function readTitle(given: string | null): string | null {
  const title = (given ?? '').replaceAll(/\s+/g, ' ').trim();
  if (title.length <= MAX_TITLE_CHARS) return title === '' ? null : title;
  throw new FuelError('too_large', `The title has ${title.length} characters; the maximum is ${MAX_TITLE_CHARS}.`, {
    hint: 'Shorten it, or put the details in a note.',
  });
}

/** Reads an annotation from a journal record; null for any other record. */
export function annotationFromJournal(record: JsonObject): Annotation | null {
  const { at, sessionId, what, tags, id, text, title, createdAt, isPinned } = journalFields(record);
  if (typeof at !== 'string' || typeof sessionId !== 'string') return null;
  if (what === 'tagged' && Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) {
    return { at, sessionId, what, tags };
  }
  if (what === 'pinned' && typeof isPinned === 'boolean') return { at, sessionId, what, isPinned };
  if (what === 'summarised' && (typeof text === 'string' || text === null)) return { at, sessionId, what, text };
  if (what === 'titled' && (typeof title === 'string' || title === null)) return { at, sessionId, what, title };
  if (typeof id !== 'string') return null;
  if (what === 'note_removed') return { at, sessionId, what, id };
  if (what !== 'note_written' || typeof text !== 'string' || typeof createdAt !== 'string') return null;
  return { at, sessionId, what, id, text, createdAt };
}

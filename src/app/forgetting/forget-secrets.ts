import { eventsFromJournal, eventsRecord, gitFromJournal } from '../../archive/journal/records.ts';
import { annotationFromJournal } from '../../domain/annotation.ts';
import { FuelError } from '../../domain/errors.ts';
import { toJournal } from '../../domain/journal-note.ts';
import type { EraseDecision } from '../../domain/ports.ts';
import { viewNoteFromJournal } from '../../domain/saved-view.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { refreshIndexedTexts } from '../../pipeline/index-session.ts';
import type { SecretMask } from '../../redact/mask-secrets.ts';
import { readShare, removeShare } from '../../share/stored-shares.ts';
import { withoutCaptures } from '../../store/queries/claims/leases.ts';
import { readDocumentsAgain } from '../../store/queries/deletions/remove-session.ts';
import { applyMask, listMasks, reparseAfterMasking, settleMasks } from '../../store/queries/masks/masks.ts';
import { rewriteKept, rewriteShared, type StoredRow } from '../../store/queries/masks/stored-texts.ts';
import { showTagsOf } from '../../store/queries/people/annotations.ts';
import { listSharesOf } from '../../store/queries/people/shares.ts';
import type { ImportCounts } from '../import-tally.ts';
import { type PipelineRunOptions, recover } from '../maintain.ts';
import type { App } from '../open-app.ts';
import { maskRow } from './find-secrets.ts';

export interface ForgetReport extends Pick<ImportCounts, 'failed'> {
  /** False while another process imports: the database file may still contain old pages. */
  readonly is_settled: boolean;
  /** Shared pages that contained secrets, made before they were known as such. */
  readonly shares_removed: number;
}

/**
 * Masks the secrets of these sessions in the database and the journal. The marks are written first, so that every later
 * parse masks the session; an interrupted run is completed by the next one.
 */
export async function forgetSecrets(
  app: App,
  sessionIds: readonly string[],
  now: string,
  run: PipelineRunOptions,
): Promise<ForgetReport> {
  let shares_removed = 0;
  for (const sessionId of sessionIds) {
    if (run.signal.aborted) break;
    await markSession(app, sessionId, now);
    shares_removed += await removeShares(app, sessionId);
  }
  await maskShared(app);
  const { failed } = await recover(app, run);
  return { failed, shares_removed, is_settled: !run.signal.aborted && failed.length === 0 && (await settle(app)) };
}

/** In the journal first: a rebuild must not bring the secrets back. */
async function markSession({ store, journal, masking }: App, sessionId: string, at: string): Promise<void> {
  const { engine } = store;
  const mask = await masking.open();
  const note = { what: 'session_masked', sessionId, at } as const;
  await journal.append(toJournal(note));
  await journal.flush();
  await engine.transaction(async (tx) => {
    await applyMask(tx, note);
    await rewriteKept(tx, sessionId, (row) => ({ ...maskRow(mask, row), ...maskCut(mask, row) }));
    await showTagsOf(tx, sessionId);
    await readDocumentsAgain(tx, sessionId);
    await reparseAfterMasking(tx, sessionId, at);
  });
  await refreshIndexedTexts(engine, [sessionId]);
}

/** A title or a summary may have been cut within a secret. */
function maskCut(mask: SecretMask, row: StoredRow): Readonly<Record<string, string>> {
  const texts = ['title', 'client_title', 'sibling_title', 'summary'].flatMap((column) => {
    const text = row[column];
    return typeof text === 'string' ? [[column, mask.cutText(text), text] as const] : [];
  });
  return Object.fromEntries(texts.flatMap(([column, masked, text]) => (masked === text ? [] : [[column, masked]])));
}

/** Removes shared pages that contain secrets: they were redacted by the rules of the time when they were made. */
async function removeShares({ store, blobs, masking }: App, sessionId: string): Promise<number> {
  const deps = { engine: store.engine, blobs };
  let removed = 0;
  for (const id of await listSharesOf(store.engine.kysely, [sessionId])) {
    const mask = await masking.open();
    for await (const part of readShare(deps, id)) mask.text(Buffer.from(part).toString('utf8'));
    if (mask.found.size === 0) continue;
    await removeShare(deps, id);
    removed += 1;
  }
  return removed;
}

async function maskShared({ store, masking }: App): Promise<void> {
  const mask = await masking.open();
  await store.engine.transaction((tx) => rewriteShared(tx, (row) => maskRow(mask, row)));
}

/** Removes remaining copies from the journal and the database files. */
async function settle({ store, journal, masking, device }: App): Promise<boolean> {
  const { engine } = store;
  const all = (await listMasks(engine.kysely)).map(({ sessionId }) => sessionId);
  await journal.erase(journalMask(await masking.open(), new Set(all)));
  await journal.flush();
  try {
    if (!(await withoutCaptures(engine, device.id, () => engine.scrub()))) return false;
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return false;
    throw error;
  }
  await settleMasks(engine.kysely, all);
  return true;
}

/** Shows the secrets of these sessions again, as far as their archived bytes contain them. Errors: not_found. */
export async function rememberSecrets(
  app: App,
  sessionIds: readonly string[],
  now: string,
  run: PipelineRunOptions,
): Promise<Pick<ImportCounts, 'failed'>> {
  const { engine } = app.store;
  for (const sessionId of sessionIds) {
    const note = { what: 'session_unmasked', sessionId, at: now } as const;
    await app.journal.append(toJournal(note));
    await app.journal.flush();
    await engine.transaction(async (tx) => {
      await applyMask(tx, note);
      await readDocumentsAgain(tx, sessionId);
      await reparseAfterMasking(tx, sessionId, now);
    });
  }
  return recover(app, run);
}

/**
 * Decides which lines of the journal are replaced by lines without secrets: hook events and annotations of the masked
 * sessions, and everything that belongs to no session. Lines about archived bytes stay.
 */
function journalMask(mask: SecretMask, masked: ReadonlySet<string>): EraseDecision {
  return ({ record, text }) => {
    if (record === null) return mask.text(text) === text ? 'keep' : 'erase';
    const after = maskRecord(mask, masked, record);
    return JSON.stringify(after) === JSON.stringify(record) ? 'keep' : after;
  };
}

function maskRecord(mask: SecretMask, masked: ReadonlySet<string>, record: JsonObject): JsonObject {
  const taken = eventsFromJournal(record);
  if (taken !== null) {
    const { at, events, workspaces } = taken;
    const changed = events.map((event) =>
      masked.has(event.session_id) ? { ...event, data: mask.json(event.data) } : event,
    );
    return eventsRecord({ at, events: changed, workspaces });
  }
  const annotation = annotationFromJournal(record);
  if (annotation !== null) {
    const { sessionId } = annotation;
    if (!masked.has(sessionId)) return record;
    if (annotation.what !== 'tagged') return mask.json(record);
    return { ...record, tags: annotation.tags.filter((tag) => mask.text(tag) === tag) };
  }
  return gitFromJournal(record) !== null || viewNoteFromJournal(record) !== null ? mask.json(record) : record;
}

export interface MaskedSession {
  readonly session_id: string;
  readonly masked_at: string;
  /** False while old pages of the database or lines of the journal may still have the secrets. */
  readonly is_settled: boolean;
}

/** Sessions whose secrets are masked, newest first. */
export async function listMasked({ store }: App): Promise<readonly MaskedSession[]> {
  const masks = await listMasks(store.engine.kysely);
  return masks.map(({ sessionId, at, isSettled }) => ({ session_id: sessionId, masked_at: at, is_settled: isSettled }));
}

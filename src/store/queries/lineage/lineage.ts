import type { FamilySettlement } from '../../../domain/family.ts';
import { type Lineage, NO_LINEAGE } from '../../../domain/transcript-structure.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths, replacing } from '../../sql.ts';
import type { SessionOrigin } from '../transcript/session-outcome.ts';
import type { FamilyMessage } from './settle-families.ts';

/** The known ancestry of a session, which its next parse uses. */
export async function readLineage(db: Tx, sessionId: string): Promise<Lineage> {
  return (await readLineages(db, [sessionId])).get(sessionId) ?? NO_LINEAGE;
}

export async function readLineages(db: Tx, sessionIds: readonly string[]): Promise<ReadonlyMap<string, Lineage>> {
  const rows = await db
    .selectFrom('session_lineage')
    .select(['session_id', 'parent_session_id', 'is_certain', 'inherited_through', 'cleared_from'])
    .where('session_id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(
    rows.map(({ session_id, parent_session_id, is_certain, inherited_through, cleared_from }) => [
      session_id,
      {
        parentId: parent_session_id,
        isCertain: Boolean(is_certain),
        inheritedThrough: inherited_through,
        clearedFrom: cleared_from,
      },
    ]),
  );
}

/** What the lines of a parsed session state, and the lineage its rows were built with. */
interface OriginToSave {
  readonly sessionId: string;
  readonly origin: SessionOrigin;
  readonly lineage: Lineage;
}

/** Saves the ancestry that the lines of sessions state, and the lineage their rows were built with. */
export async function saveOrigins(engine: Engine, tx: Tx, sessions: readonly OriginToSave[]): Promise<void> {
  const rows = sessions.map(({ sessionId, origin, lineage }) => ({
    session_id: sessionId,
    ...origin,
    ...columnsOf(lineage),
  }));
  const [first] = rows;
  if (first === undefined) return;
  const [, ...said] = Object.keys(first);
  await engine.insertMany(
    tx,
    'session_lineage',
    Object.keys(first),
    rows.map((row) => Object.values(row)),
    `ON CONFLICT (session_id) DO UPDATE SET ${replacing(said)}`,
  );
}

function columnsOf({ parentId, isCertain, inheritedThrough, clearedFrom }: Lineage) {
  return {
    parent_session_id: parentId,
    is_certain: isCertain,
    inherited_through: inheritedThrough,
    cleared_from: clearedFrom,
  };
}

/** Saves what each session of a family has copied. Sessions whose rows disagree are parsed again. */
export async function saveCopies(
  tx: Tx,
  family: readonly string[],
  { copies }: FamilySettlement,
  messages: readonly FamilyMessage[],
  archived: ReadonlySet<string>,
): Promise<void> {
  const lineages = await readLineages(tx, family);
  for (const member of family) {
    const known = lineages.get(member) ?? NO_LINEAGE;
    const copy = copies.get(member);
    const found: Lineage = {
      ...known,
      parentId: copy?.parentId ?? null,
      isCertain: copy?.isCertain ?? true,
      inheritedThrough: copy?.throughId ?? null,
    };
    // Of an archived parent only the API messages are known; the result from when its rows existed is more complete.
    const isKnownBetter = found.parentId === known.parentId && archived.has(known.parentId ?? '');
    if (isKnownBetter && isAtOrAfter(messages, member, known.inheritedThrough, found.inheritedThrough)) continue;
    await changeLineage(tx, member, known, found);
  }
}

function isAtOrAfter(messages: readonly FamilyMessage[], member: string, a: string | null, b: string | null): boolean {
  const ordinalOf = (id: string | null) =>
    messages.find((message) => message.sessionId === member && message.id === id)?.ordinal ?? -1;
  return ordinalOf(a) >= ordinalOf(b);
}

/** Saves a changed lineage and schedules the session for parsing. */
export async function changeLineage(tx: Tx, sessionId: string, known: Lineage, found: Lineage): Promise<void> {
  if (JSON.stringify(columnsOf(known)) === JSON.stringify(columnsOf(found))) return;
  await tx.updateTable('session_lineage').set(columnsOf(found)).where('session_id', '=', sessionId).execute();
  await tx
    .updateTable('sessions')
    .set({ parser_version: 0, tried_parser_version: 0 })
    .where('id', '=', sessionId)
    .where('lifecycle', '<>', 'archived')
    .execute();
}

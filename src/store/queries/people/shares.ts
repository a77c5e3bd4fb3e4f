import { sql } from 'kysely';
import type { Share } from '../../../api/shares.ts';
import { FuelError, refuseEmpty } from '../../../domain/errors.ts';
import { MAX_SHARES } from '../../../domain/requests.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, readInParts, startsWith } from '../../sql.ts';
import { cleanText, cleanTextOrNull, readJson } from '../../text.ts';

const COLUMNS = [
  's.id',
  's.session_id',
  's.title',
  's.note',
  's.size_bytes',
  's.redacted',
  's.created_at',
  's.expires_at',
] as const;

interface ShareToMake extends Pick<Share, 'id' | 'session_id' | 'title' | 'note' | 'created_at' | 'expires_at'> {
  readonly tokenSha256: string;
}

/** Creates a share that cannot be opened before it is finished. */
export async function beginShare(db: Tx, { tokenSha256, ...share }: ShareToMake): Promise<void> {
  const values = { ...share, title: cleanText(share.title), note: cleanTextOrNull(share.note) };
  await db
    .insertInto('shares')
    .values({ ...values, token_sha256: tokenSha256, state: 'making' })
    .execute();
}

interface SharePart {
  readonly shareId: string;
  readonly position: number;
  readonly sha256: string;
}

export async function addSharePart(db: Tx, { shareId, position, sha256 }: SharePart): Promise<void> {
  await db.insertInto('share_parts').values({ share_id: shareId, position, sha256 }).execute();
}

export async function finishShare(
  db: Tx,
  id: string,
  { size_bytes, redacted }: Pick<Share, 'size_bytes' | 'redacted'>,
): Promise<void> {
  await db
    .updateTable('shares')
    .set({ state: 'ready', size_bytes, redacted: JSON.stringify(redacted) })
    .where('id', '=', id)
    .where('state', '=', 'making')
    .execute();
}

/** Lists open links, newest first, of one session or all. Links of deleted sessions cannot be opened. */
export async function listShares(db: Tx, now: string, sessionId?: string): Promise<readonly Share[]> {
  const rows = await selectLive(db, now)
    .$if(sessionId !== undefined, (select) => select.where('s.session_id', '=', sessionId ?? ''))
    .orderBy('s.created_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(MAX_SHARES)
    .execute();
  return rows.map((row) => ({ ...row, redacted: readJson(row.redacted) }));
}

function selectLive(db: Tx, now: string) {
  return db
    .selectFrom('shares as s')
    .innerJoin('sessions', 'sessions.id', 's.session_id')
    .select(COLUMNS)
    .where('s.state', '=', 'ready')
    .where('s.expires_at', '>', now);
}

export async function countShares(db: Tx): Promise<number> {
  const { count } = await db
    .selectFrom('shares')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Looked up by hash, so that timing reveals nothing about how close a guess is. */
export async function findLiveShare(db: Tx, tokenSha256: string, now: string): Promise<Share | null> {
  const row = await selectLive(db, now).where('s.token_sha256', '=', tokenSha256).executeTakeFirst();
  return row === undefined ? null : { ...row, redacted: readJson(row.redacted) };
}

export async function listShareParts(db: Tx, shareId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('share_parts')
    .select('sha256')
    .where('share_id', '=', shareId)
    .orderBy('position')
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

/** Closes a link at once, whatever happens to its blobs. */
export async function closeShare(db: Tx, id: string): Promise<void> {
  await db.updateTable('shares').set({ state: 'revoked' }).where('id', '=', id).execute();
}

export async function deleteShare(db: Tx, id: string): Promise<void> {
  await db.deleteFrom('shares').where('id', '=', id).execute();
}

/** Finds a share by its id or a prefix of it. Errors: usage, not_found, ambiguous. */
export async function findShareId(db: Tx, idOrPrefix: string): Promise<string> {
  refuseEmpty(idOrPrefix, 'link id');
  const wanted = cleanText(idOrPrefix).toUpperCase();
  const rows = await db
    .selectFrom('shares')
    .select('id')
    .where(startsWith(sql.ref('id'), wanted))
    .orderBy('id')
    .limit(2)
    .execute();
  const [share, other] = rows;
  if (share === undefined) {
    throw new FuelError('not_found', `No link ${JSON.stringify(idOrPrefix)}.`, {
      hint: '`fuel-code shares` lists them.',
    });
  }
  if (other !== undefined && share.id !== wanted) {
    throw new FuelError('ambiguous', `Several links match ${JSON.stringify(idOrPrefix)}.`, {
      hint: 'Use a longer prefix of its id.',
    });
  }
  return share.id;
}

/** Links to delete: revoked, expired, never finished, or of a deleted session. */
export async function findDeadShares(
  db: Tx,
  { now, begunBefore }: { readonly now: string; readonly begunBefore: string },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('shares as s')
    .leftJoin('sessions', 'sessions.id', 's.session_id')
    .select('s.id')
    .where(({ eb, or, and }) =>
      or([
        eb('s.state', '=', 'revoked'),
        eb('s.expires_at', '<=', now),
        and([eb('s.state', '=', 'making'), eb('s.created_at', '<', begunBefore)]),
        eb('sessions.id', 'is', null),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists all links to these sessions, in any state. */
export async function listSharesOf(db: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const rows = await readInParts(sessionIds, (some) =>
    db.selectFrom('shares').select('id').where('session_id', 'in', fewLengths(some)).execute(),
  );
  return rows.map(({ id }) => id);
}

/** Lists all links, each with a file of its session. */
export async function listSharedFiles(db: Tx): Promise<readonly { readonly shareId: string; readonly path: string }[]> {
  return db
    .selectFrom('shares as s')
    .innerJoin('source_files as f', 'f.session_id', 's.session_id')
    .select(['s.id as shareId', 'f.path'])
    .where('f.kind', '=', 'main')
    .execute();
}

/** Blobs that contain shared pages. */
export async function listSharePartAddresses(db: Tx): Promise<readonly string[]> {
  const rows = await db.selectFrom('share_parts').select('sha256').execute();
  return rows.map(({ sha256 }) => sha256);
}

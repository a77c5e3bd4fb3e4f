import { randomBytes } from 'node:crypto';
import type { Share, SharePreview } from '../api/shares.ts';
import { FuelError } from '../domain/errors.ts';
import type { BlobStore } from '../domain/ports.ts';
import {
  DEFAULT_SHARE_MS,
  MAX_SHARE_MS,
  MAX_SHARES,
  MIN_SHARE_MS,
  SHARE_PATH,
  type ShareOptions,
} from '../domain/requests.ts';
import { ulid } from '../lib/ids.ts';
import { inPieces } from '../lib/in-pieces.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine } from '../store/engine.ts';
import { addSharePart, beginShare, countShares, finishShare } from '../store/queries/people/shares.ts';
import { openPage, type PageDeps, type SessionPage } from './page/page.ts';
import { hashToken, makeToken, removeShare, SALT_BYTES } from './stored-shares.ts';

export interface ShareDeps extends PageDeps {
  readonly now: () => Date;
  readonly engine: Engine;
  readonly blobs: BlobStore;
}

/** A share with its secret, which is returned once and never stored. */
export interface MadeShare extends Share {
  /** The path of the page below the URL of its server. */
  readonly path: string;
}

/** How often a page is restarted because its session has changed meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Stores a snapshot of the page of a session and returns its link. Later changes to the session are not included.
 * Errors: not_found, ambiguous, usage; busy while the session keeps changing.
 */
export async function makeShare(deps: ShareDeps, session: string, request: ShareOptions): Promise<MadeShare> {
  const { engine, get } = deps;
  ensureExpiry(request.expiresInMs ?? DEFAULT_SHARE_MS);
  if ((await countShares(engine.kysely)) >= MAX_SHARES) {
    throw new FuelError('usage', `The limit of ${MAX_SHARES} links is reached.`, {
      hint: 'Revoke some first; `fuel-code shares` lists them.',
    });
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = await get('/sessions/:id', { params: { id: session } });
    const share = await storePage(deps, await openPage(deps, before.id), request);
    const after = await get('/sessions/:id', { params: { id: before.id } });
    if (after.updated_at === before.updated_at && after.total_messages === before.total_messages) {
      await finishShare(engine.kysely, share.id, share);
      return share;
    }
    await removeShare(deps, share.id);
  }
  throw new FuelError('busy', 'The session is currently changing, so no consistent page can be created.', {
    hint: 'Try again when the session is idle.',
  });
}

function ensureExpiry(expiresInMs: number): void {
  if (expiresInMs >= MIN_SHARE_MS && expiresInMs <= MAX_SHARE_MS) return;
  throw new FuelError('usage', 'The lifetime of a link must be between 1 minute and 365 days.', {
    hint: 'The default is 7 days.',
  });
}

/** The title, size and redactions of a share, without storing anything. */
export async function previewShare(deps: PageDeps, session: string): Promise<SharePreview> {
  const page = await openPage(deps, session);
  let size_bytes = 0;
  for await (const text of page.texts) size_bytes += Buffer.byteLength(text);
  const { sessionId: session_id, title, fileName: file_name } = page;
  return { session_id, title, file_name, size_bytes, redacted: page.redacted() };
}

async function storePage(deps: ShareDeps, page: SessionPage, request: ShareOptions): Promise<MadeShare> {
  const { kysely } = deps.engine;
  const { expiresInMs = DEFAULT_SHARE_MS, note = '' } = request;
  const now = deps.now();
  const token = makeToken();
  const begun = {
    id: ulid(now),
    session_id: page.sessionId,
    title: page.title,
    note: note.trim() === '' ? null : note.trim(),
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + expiresInMs).toISOString(),
  };
  await beginShare(kysely, { ...begun, tokenSha256: hashToken(token) });
  const size_bytes = await storeParts(deps, begun.id, page.texts);
  return { ...begun, size_bytes, redacted: page.redacted(), path: SHARE_PATH + token };
}

/** Maximum bytes of a page held in memory. */
const PART_BYTES = 1024 * 1024;

/** The row of a part is written before its blob, so that the sweep finds the blob after a crash. */
async function storeParts(
  { engine, blobs }: ShareDeps,
  shareId: string,
  texts: AsyncIterable<string>,
): Promise<number> {
  let [sizeBytes, position] = [0, 0];
  for await (const part of inPieces(texts, PART_BYTES)) {
    // The salt makes every blob unique, so that removing it cannot affect another share.
    const bytes = Buffer.concat([randomBytes(SALT_BYTES), part]);
    const sha256 = sha256Hex(bytes);
    await addSharePart(engine.kysely, { shareId, position, sha256 });
    await blobs.put(bytes, sha256);
    sizeBytes += part.length;
    position++;
  }
  return sizeBytes;
}

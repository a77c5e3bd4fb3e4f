import type { SecretMask } from '../redact/mask-secrets.ts';
import type { Engine } from '../store/engine.ts';
import { findMasked, hasMasks } from '../store/queries/masks/masks.ts';

/** Masks secrets in the rows of sessions whose secrets were forgotten, or of all sessions. */
export interface Masking {
  /** In every session, by configuration. */
  readonly isForAll: boolean;
  /** A mask that has found nothing yet. Loaded only if needed. */
  readonly open: () => Promise<SecretMask>;
}

export interface MaskingDeps {
  readonly engine: Engine;
  readonly masking: Masking;
}

/** The masks of these sessions, by session; unmasked sessions are absent. */
export async function masksOf(
  { engine, masking }: MaskingDeps,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SecretMask>> {
  const masked = await listMaskedOf({ engine, masking }, sessionIds);
  if (masked.size === 0) return new Map();
  const mask = await masking.open();
  return new Map([...masked].map((id) => [id, mask]));
}

/** Which of these sessions are masked. */
export async function listMaskedOf(
  { engine, masking }: MaskingDeps,
  sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return masking.isForAll ? new Set(sessionIds) : findMasked(engine.kysely, sessionIds);
}

export async function maskOf(deps: MaskingDeps, sessionId: string): Promise<SecretMask | null> {
  return (await masksOf(deps, [sessionId])).get(sessionId) ?? null;
}

/** The mask of texts that belong to no session, such as commit messages and plans. Null unless secrets of some session were forgotten, or all are masked. */
export async function maskOfShared({ engine, masking }: MaskingDeps): Promise<SecretMask | null> {
  return masking.isForAll || (await hasMasks(engine.kysely)) ? masking.open() : null;
}

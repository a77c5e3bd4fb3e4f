import { listMasks } from '../../store/queries/masks/masks.ts';
import type { App } from '../open-app.ts';

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

import type { Claim } from '../domain/pipeline.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { holdClaims } from '../store/queries/claims/claims.ts';
import { markCorrelated } from '../store/queries/git/git-input.ts';
import { recordChange } from '../store/queries/sessions/changes.ts';
import { readParseState } from '../store/queries/transcript/save-revision.ts';
import type { StepLog } from './claimed-session.ts';

export interface CorrelateDeps {
  readonly engine: Engine;
  /** Reads the git activity in the repositories of a session. Each of its writes starts with `hold`. */
  readonly collectGit: (sessionId: string, hold: (tx: Tx) => Promise<void>) => Promise<void>;
}

/**
 * Finds the git activity that belongs to a session. Listeners are notified explicitly because the session row does not
 * change.
 */
export async function correlateSession(
  { engine, collectGit }: CorrelateDeps,
  claim: Claim,
  log: StepLog,
): Promise<void> {
  const hold = (tx: Tx) => holdClaims(engine, tx, [claim]);
  const state = await readParseState(engine.kysely, claim.sessionId);
  await log.run('correlate', () => collectGit(claim.sessionId, hold));
  await engine.transaction(async (tx) => {
    await hold(tx);
    await markCorrelated(tx, claim.sessionId, state);
  });
  await log.run('announce', () => recordChange(engine.kysely, claim.sessionId));
}

import type { Claim } from '../domain/pipeline.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { holdClaims } from '../store/queries/claims/claims.ts';
import { markCorrelated } from '../store/queries/git/git-input.ts';
import { recordChanges } from '../store/queries/sessions/changes.ts';
import { readParseStates } from '../store/queries/transcript/save-revision.ts';
import type { StepLog } from './claimed-session.ts';

export interface CorrelateDeps {
  readonly engine: Engine;
  /** Reads the git activity in the repositories of sessions, then stores it. */
  readonly collectGit: (sessionIds: readonly string[], guards: CollectGuards) => Promise<void>;
}

export interface CollectGuards {
  /** Every write starts with this; throws when a session was lost. */
  readonly hold: (tx: Tx) => Promise<void>;
  /** Called before each session; throws when the work has to stop. */
  readonly checkpoint: () => void;
}

/**
 * Finds the git activity that belongs to sessions. Listeners are notified explicitly because the session rows do not
 * change.
 */
export async function correlateSessions(
  { engine, collectGit }: CorrelateDeps,
  claims: readonly Claim[],
  { log, checkpoint }: { readonly log: StepLog; readonly checkpoint: () => void },
): Promise<void> {
  const sessionIds = claims.map(({ sessionId }) => sessionId);
  const states = await readParseStates(engine.kysely, sessionIds);
  const hold = (tx: Tx) => holdClaims(engine, tx, claims);
  await log.run('correlate', () => collectGit(sessionIds, { hold, checkpoint }));
  await engine.transaction(async (tx) => {
    await holdClaims(engine, tx, claims);
    await markCorrelated(tx, states);
  });
  await log.run('announce', () => recordChanges(engine.kysely, sessionIds));
}

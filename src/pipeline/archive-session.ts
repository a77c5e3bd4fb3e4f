import { FuelError } from '../domain/errors.ts';
import type { Claim } from '../domain/pipeline.ts';
import { claimNext } from '../store/queries/claims/claims.ts';
import { unmarkIndexed } from '../store/queries/search/search-index.ts';
import { compareRevisions, dropRevision, pruneRows } from '../store/queries/transcript/prune-rows.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { type ClaimedDeps, runClaimed } from './claimed-session.ts';
import { rewriteBeside, type UnderstandDeps } from './understand-session.ts';

interface ArchiveSessionDeps extends UnderstandDeps, ClaimedDeps {
  readonly holder: string;
}

/**
 * Removes the derived rows of a session after reparsing its archived bytes has produced the same rows. False when it
 * cannot be archived now: it is being worked on, it is still growing, or its rows are from an older parser. Errors: internal
 * when the rows differ; then nothing is removed.
 */
export async function archiveSession(deps: ArchiveSessionDeps, sessionId: string): Promise<boolean> {
  const { engine, holder } = deps;
  const claim = await claimNext(engine, 'archive', { holder, parserVersion: PARSER_VERSION, sessionIds: [sessionId] });
  if (claim === null) return false;
  const [result] = await runClaimed(deps, [claim], {
    run: (_claims, _log, checkpoint) => verifyAndPrune(deps, claim, checkpoint),
  });
  if (result?.outcome === 'failed') throw result.error;
  return result?.outcome === 'done';
}

async function verifyAndPrune(deps: ArchiveSessionDeps, claim: Claim, checkpoint: () => void): Promise<void> {
  const { engine, clock } = deps;
  const { sessionId } = claim;
  const revision = await rewriteBeside(deps, claim, checkpoint);
  const different = await compareRevisions(engine.kysely, revision, revision.number - 1);
  await engine.transaction((tx) => dropRevision(tx, revision));
  if (different.length > 0) throw notTheSame(sessionId, different);
  await unmarkIndexed(engine.kysely, sessionId);
  await engine.transaction(async (tx) => {
    const answer = await pruneRows(engine, tx, claim, clock.now().toISOString());
    if (!answer.won) throw new FuelError('busy', `Session ${sessionId} changed in the meantime: ${answer.why}.`);
  });
}

function notTheSame(sessionId: string, tables: readonly string[]): FuelError {
  return new FuelError(
    'internal',
    `The archived bytes of session ${sessionId} no longer produce the same rows (${tables.join(', ')}); it was not changed.`,
    { hint: `\`fuel-code reparse ${sessionId}\` updates them, for example after a price change.` },
  );
}

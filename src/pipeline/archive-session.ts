import { FuelError } from '../domain/errors.ts';
import { compareRevisions, dropRevision, pruneRows } from '../store/queries/transcript/prune-rows.ts';
import { claimNext } from '../store/queries/claims/claims.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { rewriteBeside } from './understand-session.ts';
import type { LineDeps } from './work-on.ts';
import { workOnSession } from './work-on-session.ts';

/**
 * Removes the derived rows of a session, after its archived bytes were parsed once more and gave the same rows. Null when
 * it cannot be archived now: somebody works on it, it still grows, or its parser is out of date.
 * Errors: internal when the rows differ; then nothing is removed.
 */
export async function archiveSession(deps: LineDeps, sessionId: string): Promise<'archived' | null> {
  const { engine, clock, holder } = deps;
  const claim = await claimNext(engine, 'archive', { holder, parserVersion: PARSER_VERSION, sessionId });
  if (claim === null) return null;
  const result = await workOnSession(deps, claim, async (_log, checkpoint) => {
    const revision = await rewriteBeside(deps, claim, checkpoint);
    const different = await compareRevisions(engine.kysely, revision, revision.number - 1);
    await engine.transaction((tx) => dropRevision(tx, revision));
    if (different.length > 0) throw notTheSame(sessionId, different);
    await engine.transaction(async (tx) => {
      const answer = await pruneRows(engine, tx, claim, clock.now().toISOString());
      if (!answer.won) throw new FuelError('busy', `Session ${sessionId} changed meanwhile: ${answer.why}.`);
    });
  });
  if (result.outcome === 'failed') throw result.error;
  return result.outcome === 'done' ? 'archived' : null;
}

function notTheSame(sessionId: string, tables: readonly string[]): FuelError {
  return new FuelError(
    'internal',
    `The archived bytes of session ${sessionId} no longer give the same rows (${tables.join(', ')}); it was left as it is.`,
    { hint: `\`fuel-code reparse ${sessionId}\` derives them again, for example after a change of prices.` },
  );
}

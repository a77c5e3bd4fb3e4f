import type { SummaryInput, SummaryScope } from '../domain/summary.ts';
import type { Tx } from '../store/engine.ts';
import { readSummaryRows } from '../store/queries/summaries/summary-input.ts';
import type { SummarySession } from '../store/queries/summaries/summary-rows.ts';
import { readCommands, readModelTexts } from '../store/queries/summaries/summary-work.ts';
import { findHighlights } from '../summary/gist.ts';
import { tallyShell } from '../summary/shell-work.ts';

/** The input of a summary of one scope. Commands and texts are read one by one, because there may be many. */
export async function collectSummaryInput(db: Tx, session: SummarySession, scope: SummaryScope): Promise<SummaryInput> {
  return {
    ...(await readSummaryRows(db, session, scope)),
    shell: await tallyShell(readCommands(db, session, scope)),
    highlights: await findHighlights(readModelTexts(db, session, scope)),
  };
}

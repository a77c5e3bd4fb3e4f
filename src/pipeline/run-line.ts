import { countDue } from '../store/queries/claims/claims.ts';
import { settleNextFamily } from '../store/queries/lineage/settle-families.ts';
import { settleSessions } from './settle-sessions.ts';
import { findSummariesToMake } from './summarise-session.ts';
import { syncDocuments } from './sync-documents.ts';
import { findWork, indexThrough, type LineDeps, type LineWork, workOn } from './work-on.ts';
import type { WorkResult } from './work-on-session.ts';

export interface RunDeps extends LineDeps {
  /** Leave words and full text for later: a list is wanted now. */
  readonly rowsOnly: boolean;
  /** At most so many sessions of each kind of work. */
  readonly limit?: number;
}

/** Who counts what the line does. */
export interface LineTally {
  enter(phase: 'indexing'): void;
  sessionParsed(): void;
  toIndex(sessions: number): void;
  sessionIndexed(): void;
  fail(what: string, error: unknown): void;
}

/**
 * Everything that is still to be done on sessions whose bytes are in the archive: a run was stopped in between, the
 * parser has become better, a session has fallen silent. Rows first, full text behind everything else.
 */
export async function runLine(deps: RunDeps, tally: LineTally): Promise<void> {
  await workOnEach(deps, 'parse', (result) => tellParsed(tally, result));
  await settleLineage(deps, tally);
  await workOnEach(deps, 'correlate', (result) => tellFailed(tally, 'git activity of ', result));
  await settleSessions(deps);
  await deps.collectRepositories(deps.signal);
  await workOnEach(deps, 'correlate', (result) => tellFailed(tally, 'git activity of ', result));
  await syncDocuments(deps, (path, error) => tally.fail(path, error));
  await deps.journal.flush();
  if (deps.rowsOnly) return;
  await workOnEach(deps, 'summarise', (result) => tellFailed(tally, 'summary of ', result));
  tally.toIndex(await countDue(deps.engine, 'index'));
  tally.enter('indexing');
  await indexThrough(deps, (result) => {
    if (result.outcome === 'done') tally.sessionIndexed();
    tellFailed(tally, 'full text of ', result);
  });
}

const MAX_LINEAGE_PASSES = 3;

/**
 * Sessions that share messages are compared when all of the run are parsed: once for a family, not once for each of its
 * sessions. Those that turn out to be copies are parsed once more.
 */
async function settleLineage(deps: RunDeps, tally: LineTally): Promise<void> {
  for (let pass = 0; pass < MAX_LINEAGE_PASSES; pass += 1) {
    await settleFamilies(deps);
    const hadWork = await workOnEach(deps, 'parse', (result) => tellFailed(tally, '', result));
    if (!hadWork) return;
  }
  await settleFamilies(deps);
}

async function settleFamilies({ engine, signal }: RunDeps): Promise<void> {
  while (!signal.aborted && (await settleNextFamily(engine)));
}
const SESSIONS_PER_LOOK = 200;

/** Each session once: what it still lacks then has its time, or its reason. Tells whether there was any. */
async function workOnEach(deps: RunDeps, work: LineWork, tell: (result: WorkResult) => void): Promise<boolean> {
  const find = work === 'summarise' ? findSummariesToMake : findWork;
  const seen = new Set<string>();
  for (;;) {
    const found = await find(deps, seen.size + SESSIONS_PER_LOOK, work);
    const next = found.filter((id) => !seen.has(id)).slice(0, (deps.limit ?? Number.POSITIVE_INFINITY) - seen.size);
    if (next.length === 0) return seen.size > 0;
    for (const sessionId of next) {
      if (deps.signal.aborted) return seen.size > 0;
      seen.add(sessionId);
      const result = await workOn(deps, work, sessionId);
      if (result !== null) tell(result);
    }
  }
}

export function tellParsed(tally: LineTally, result: WorkResult): void {
  if (result.outcome === 'done') tally.sessionParsed();
  tellFailed(tally, '', result);
}

/** One session that cannot be worked on is named in the report, and tried again later; the others go on. */
function tellFailed(tally: LineTally, what: string, result: WorkResult): void {
  if (result.outcome === 'failed') tally.fail(`${what}${result.sessionId}`, result.error);
}

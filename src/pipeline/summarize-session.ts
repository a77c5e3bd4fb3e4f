import type { Clock } from '../domain/ports.ts';
import type { NarrativeInput, SummaryInput, SummaryScope } from '../domain/summary.ts';
import type { Log } from '../lib/log.ts';
import type { Engine, Tx } from '../store/engine.ts';
import {
  dropOtherSummaries,
  findSessionsToSummarize,
  isQuietSince,
  markSummarized,
  type NarrativeToSave,
  readSummaries,
  type SummariesWanted,
  type SummaryRow,
  saveNarratives,
  showBestSummaries,
  type WorkKinds,
} from '../store/queries/summaries/summaries.ts';
import { readSummaryFacts, type SummaryFacts } from '../store/queries/summaries/summary-facts.ts';
import { readNarrativeRows, readSummaryRows, scopesOf } from '../store/queries/summaries/summary-input.ts';
import { readPause } from '../store/queries/summaries/summary-services.ts';
import { readCommands, readModelTexts } from '../store/queries/summaries/summary-work.ts';
import { PROMPT_VERSION } from '../summary/ask-model.ts';
import { findHighlights } from '../summary/gist.ts';
import { NARRATIVE_VERSION, narrate } from '../summary/narrate.ts';
import { tallyShell } from '../summary/shell-work.ts';
import { type AiSummaries, type AskDeps, askForSummary, pauseKeysOf } from './ask-summary.ts';

export interface SummarizeDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  /** Null unless AI summaries are enabled. */
  readonly ai: AiSummaries | null;
}

interface SummarizeReport {
  readonly narratives: number;
  readonly answers: number;
  /** This run moved the session from `parsed` to `summarized`. */
  readonly isSummarized: boolean;
}

/** Sessions for `summarizeSessions`, newest first. */
export async function findSummariesToMake(deps: SummarizeDeps, limit: number): Promise<readonly string[]> {
  return findSessionsToSummarize(deps.engine.kysely, limit, wantedOf(deps));
}

function wantedOf({ clock, ai }: SummarizeDeps): SummariesWanted {
  const now = clock.now();
  return {
    narrativeVersion: NARRATIVE_VERSION,
    now: now.toISOString(),
    ai:
      ai === null
        ? null
        : {
            promptVersion: PROMPT_VERSION,
            model: ai.summarizer.model,
            services: pauseKeysOf(ai),
            quietSinceMs: now.getTime() - ai.quietMs,
          },
  };
}

/**
 * Writes narratives of sessions, their sub-agents and teammates from the rows of the current revision; with a model, and
 * once a session is quiet, AI summaries as well. Only missing ones are written, so it can be repeated and stopped
 * anywhere. There is no report for a session that is not parsed.
 */
export async function summarizeSessions(
  deps: SummarizeDeps,
  sessionIds: readonly string[],
  checkpoint: () => void = () => {},
): Promise<readonly SummarizeReport[]> {
  return saveSummaries(deps, await narrateSessions(deps.engine.kysely, sessionIds, checkpoint));
}

/** The missing narratives of a session, as plain values. */
export interface NarratedSession {
  readonly id: string;
  readonly rowsVersion: number;
  /** That of the session itself is the last one: it marks the others as complete. */
  readonly narratives: readonly NarrativeToSave[];
  /** Keys of all agents that have a narrative now; null if no other narratives are stored. */
  readonly keep: readonly string[] | null;
}

/** Only reads, so that any thread can do it. */
export async function narrateSessions(
  db: Tx,
  sessionIds: readonly string[],
  checkpoint: () => void = () => {},
): Promise<readonly NarratedSession[]> {
  const all = await readSummaryFacts(db, sessionIds);
  const rows = Map.groupBy(await readSummaries(db, ...all.keys()), ({ sessionId }) => sessionId);
  const narrated: NarratedSession[] = [];
  for (const [id, facts] of all) {
    checkpoint();
    const own = rows.get(id) ?? [];
    const { rowsVersion } = facts.session;
    const narratives = await narrateScopes(db, facts, own);
    narrated.push({ id, rowsVersion, narratives, keep: keysIfOthers('narrative', scopesOf(facts), own) });
  }
  return narrated;
}

/** Saves narratives, asks the model if there is one, and shows the best summary of each session. */
export async function saveSummaries(
  deps: SummarizeDeps,
  sessions: readonly NarratedSession[],
): Promise<readonly SummarizeReport[]> {
  const { engine, ai, clock } = deps;
  const ids = sessions.map(({ id }) => id);
  const written = sessions.flatMap(({ narratives }) => narratives);
  // Together: what follows from a narrative is not written again once the narrative is stored.
  await engine.transaction(async (tx) => {
    await saveNarratives(engine, tx, written, clock.now().toISOString());
    for (const { id, keep } of sessions) if (keep !== null) await dropOtherSummaries(tx, id, 'narrative', keep);
    await showBestSummaries(tx, ids, workKindsOf(written));
  });
  const answers = new Map<string, number>();
  if (ai !== null) {
    for (const id of ids) answers.set(id, await askAbout({ ...deps, ai }, id));
    await engine.transaction((tx) => showBestSummaries(tx, ids));
  }
  const summarized = await markSummarized(engine.kysely, sessions);
  return sessions.map(({ id, narratives }) => ({
    narratives: narratives.length,
    answers: answers.get(id) ?? 0,
    isSummarized: summarized.has(id),
  }));
}

function workKindsOf(narratives: readonly NarrativeToSave[]): WorkKinds {
  const ofSessions = narratives.filter(({ agentId }) => agentId === '');
  return new Map(ofSessions.map(({ sessionId, narrative }) => [sessionId, narrative.workKind]));
}

async function narrateScopes(
  db: Tx,
  facts: SummaryFacts,
  rows: readonly SummaryRow[],
): Promise<readonly NarrativeToSave[]> {
  const { id: sessionId, rowsVersion } = facts.session;
  const isNarrated = (key: string) =>
    rows.some(
      (row) =>
        row.agentId === key &&
        row.kind === 'narrative' &&
        row.rowsVersion === rowsVersion &&
        row.version === NARRATIVE_VERSION,
    );
  const missing = scopesOf(facts).filter(({ key }) => !isNarrated(key));
  const narratives: NarrativeToSave[] = [];
  for (const scope of missing.toReversed()) {
    const narrative = narrate(await collectNarrativeInput(db, facts, scope));
    narratives.push({ sessionId, agentId: scope.key, rowsVersion, version: NARRATIVE_VERSION, narrative });
  }
  return narratives;
}

/** The keys of these scopes, if there are summaries of other ones. */
function keysIfOthers(
  kind: 'narrative' | 'ai',
  scopes: readonly SummaryScope[],
  rows: readonly SummaryRow[],
): readonly string[] | null {
  const known = new Set(scopes.map(({ key }) => key));
  return rows.some((row) => row.kind === kind && !known.has(row.agentId)) ? [...known] : null;
}

async function askAbout(deps: AskDeps, sessionId: string): Promise<number> {
  const { kysely } = deps.engine;
  const facts = (await readSummaryFacts(kysely, [sessionId])).get(sessionId);
  if (facts === undefined) return 0;
  return askForScopes(deps, facts, scopesOf(facts), await readSummaries(kysely, sessionId));
}

const ASKABLE: ReadonlySet<string> = new Set(['parsed', 'summarized']);

/** F15: a session is sent to the model only when it is quiet, and once for the same content. */
async function askForScopes(
  deps: AskDeps,
  facts: SummaryFacts,
  scopes: readonly SummaryScope[],
  rows: readonly SummaryRow[],
): Promise<number> {
  const nowMs = deps.clock.now().getTime();
  const { session } = facts;
  if (!ASKABLE.has(session.lifecycle) || !session.isParsedToTheEnd) return 0;
  if (!(await isQuietSince(deps.engine.kysely, session.id, nowMs - deps.ai.quietMs))) return 0;
  const { kysely } = deps.engine;
  if ((await readPause(kysely, pauseKeysOf(deps.ai), new Date(nowMs).toISOString())) !== null) return 0;
  const asking = withoutThreadsOfTeammates(scopes);
  const keep = keysIfOthers('ai', asking, rows);
  if (keep !== null) await dropOtherSummaries(kysely, session.id, 'ai', keep);
  let answers = 0;
  for (const scope of asking) {
    const row = rows.find(({ agentId, kind }) => agentId === scope.key && kind === 'ai');
    if (row !== undefined && isSettled(row, session.rowsVersion, deps.ai.summarizer.model, nowMs)) continue;
    const asked = await askForSummary(deps, facts, scope, row);
    if (asked === 'stopped') break;
    if (asked === 'made') answers++;
  }
  return answers;
}

/** The summary of a teammate covers all its threads, so they are not summarized one by one. */
function withoutThreadsOfTeammates(scopes: readonly SummaryScope[]): readonly SummaryScope[] {
  const ofTeammates = new Set(
    scopes.flatMap(({ key, agentIds }) => (agentIds ?? []).filter((agentId) => agentId !== key)),
  );
  return scopes.filter(({ key }) => !ofTeammates.has(key));
}

function isSettled(row: SummaryRow, rowsVersion: number, model: string, nowMs: number): boolean {
  const isOfThis = row.rowsVersion === rowsVersion && row.version === PROMPT_VERSION && row.model === model;
  if (!isOfThis) return false;
  return row.state !== 'waiting' || (row.nextTryAt !== null && Date.parse(row.nextTryAt) > nowMs);
}

/** The input of a narrative of one scope. Commands and texts are read one by one, because there may be many. */
async function collectNarrativeInput(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<NarrativeInput> {
  return { ...(await readNarrativeRows(db, facts, scope)), ...(await collectWork(db, facts, scope)) };
}

/** The same for a model. */
export async function collectSummaryInput(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<SummaryInput> {
  return { ...(await readSummaryRows(db, facts, scope)), ...(await collectWork(db, facts, scope)) };
}

async function collectWork(db: Tx, facts: SummaryFacts, scope: SummaryScope) {
  return {
    shell: await tallyShell(readCommands(db, facts, scope)),
    highlights: await findHighlights(readModelTexts(db, facts, scope)),
  };
}

import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Narrative, NarrativeSections, SummaryKind, SummaryState } from '../../../domain/summary.ts';
import type { Engine, Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { fewLengths, inParts, replacing } from '../../sql.ts';
import { cleanJson, cleanText, cutText, indexKey, readJson } from '../../text.ts';
import { readPause } from './summary-services.ts';

const MAX_TITLE_CHARS = 300;
const MAX_TEXT_CHARS = 20_000;

export interface SummaryRow {
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SummaryKind;
  readonly state: SummaryState;
  readonly title: string | null;
  readonly text: string | null;
  readonly sections: Partial<NarrativeSections>;
  readonly rowsVersion: number;
  readonly version: number;
  readonly model: string | null;
  readonly inputSha256: string | null;
  readonly attempts: number;
  readonly badAnswers: number;
  readonly nextTryAt: string | null;
  readonly error: string | null;
  readonly madeAt: string | null;
}

/** Reads every summary of sessions, their sub-agents and teammates, of every kind. */
export async function readSummaries(db: Tx, ...sessionIds: readonly string[]): Promise<readonly SummaryRow[]> {
  if (sessionIds.length === 0) return [];
  const rows = await db
    .selectFrom('session_summaries')
    .selectAll()
    .where('session_id', 'in', fewLengths(sessionIds))
    .orderBy('session_id')
    .orderBy('agent_id')
    .orderBy('kind')
    .execute();
  return rows.map((row) => ({
    sessionId: row.session_id,
    agentId: row.agent_id,
    kind: row.kind as SummaryKind,
    state: row.state as SummaryState,
    title: row.title,
    text: row.text,
    sections: readJson(row.sections),
    rowsVersion: row.rows_version,
    version: row.version,
    model: row.model,
    inputSha256: row.input_sha256,
    attempts: row.attempts,
    badAnswers: row.bad_answers,
    nextTryAt: row.next_try_at,
    error: row.error,
    madeAt: row.made_at,
  }));
}

export interface NarrativeToSave {
  readonly sessionId: string;
  readonly agentId: string;
  readonly rowsVersion: number;
  readonly version: number;
  readonly narrative: Narrative;
}

const NARRATIVE_COLUMNS = [
  'session_id',
  'agent_id',
  'kind',
  'state',
  'title',
  'text',
  'sections',
  'rows_version',
  'version',
  'made_at',
] as const;
const REPLACE = `ON CONFLICT (session_id, agent_id, kind) DO UPDATE SET ${replacing(NARRATIVE_COLUMNS.slice(3))}`;

/** Saves narratives in order. That of a session itself comes after those of its agents: it marks them as complete. */
export async function saveNarratives(
  engine: Engine,
  db: Tx,
  narratives: readonly NarrativeToSave[],
  now: string,
): Promise<void> {
  if (narratives.length === 0) return;
  const rows = narratives.map(({ sessionId, agentId, rowsVersion, version, narrative }) => [
    sessionId,
    indexKey(agentId),
    'narrative',
    'made',
    cutText(narrative.title, MAX_TITLE_CHARS).text,
    cutText(narrative.text, MAX_TEXT_CHARS).text,
    cleanJson(narrative.sections),
    rowsVersion,
    version,
    now,
  ]);
  await engine.insertMany(db, 'session_summaries', NARRATIVE_COLUMNS, rows, REPLACE);
}

/** Marks the narratives of these sessions as outdated because of new findings. They are shown until rewritten. */
export async function forgetNarratives(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  for (const some of inParts(sessionIds)) {
    await tx
      .updateTable('session_summaries')
      .set({ rows_version: 0 })
      .where('session_id', 'in', fewLengths(some))
      .where('agent_id', '=', '')
      .where('kind', '=', 'narrative')
      .execute();
  }
}

/** Removes summaries of sub-agents that a newer parse no longer has or describes differently; human texts stay. */
export async function dropOtherSummaries(
  db: Tx,
  sessionId: string,
  kind: Exclude<SummaryKind, 'human'>,
  agentIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('session_summaries')
    .where('session_id', '=', sessionId)
    .where('kind', '=', kind)
    .where('agent_id', 'not in', [...agentIds])
    .execute();
}

/** Saves the user's own summary; null removes it. It takes precedence over every other one and survives a reparse. */
export function saveHumanSummary(tx: Tx, sessionId: string, text: string | null, now: string): Promise<void> {
  return saveHuman(tx, sessionId, { text: text === null ? null : cutText(text, MAX_TEXT_CHARS).text }, now);
}

/** The same for the title. Without one, and before there is a narrative, the client's title or the prompt is shown. */
export async function saveHumanTitle(tx: Tx, sessionId: string, title: string | null, now: string): Promise<void> {
  const clientTitle = sql<string | null>`coalesce(client_title, sibling_title)`;
  await tx.updateTable('sessions').set({ title: clientTitle }).where('id', '=', sessionId).execute();
  return saveHuman(tx, sessionId, { title: title === null ? null : cutText(title, MAX_TITLE_CHARS).text }, now);
}

type HumanTexts = Partial<Pick<SummaryRow, 'title' | 'text'>>;

async function saveHuman(tx: Tx, sessionId: string, change: HumanTexts, now: string): Promise<void> {
  const key = { session_id: sessionId, agent_id: '', kind: 'human' };
  const before = await tx
    .deleteFrom('session_summaries')
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'human')
    .returning(['title', 'text'])
    .executeTakeFirst();
  const texts = { title: null, text: null, ...before, ...change };
  if (texts.title !== null || texts.text !== null) {
    const values = { ...key, ...texts, state: 'made', made_at: now };
    await tx.insertInto('session_summaries').values(values).execute();
  }
  await showBestSummary(tx, sessionId);
}

/** The title that a person gave to the session with this id; a subquery that is null without one. */
export function humanTitle(sessionId: string): RawBuilder<string | null> {
  return sql`(SELECT h.title FROM session_summaries h
    WHERE h.session_id = ${sessionId} AND h.agent_id = '' AND h.kind = 'human')`;
}

/** The kind of work by session, where a narrative was written. */
export type WorkKinds = ReadonlyMap<string, Narrative['workKind']>;

/** Shows the user's title and summary in the session's row, else a fresh AI summary, else the narrative. */
export async function showBestSummary(tx: Tx, sessionId: string): Promise<void> {
  await showBestSummaries(tx, [sessionId]);
}

/** The same for several sessions, with the kinds of work that are new. */
export async function showBestSummaries(
  tx: Tx,
  sessionIds: readonly string[],
  workKinds: WorkKinds = new Map(),
): Promise<void> {
  if (sessionIds.length === 0) return;
  const rows = await tx
    .selectFrom('session_summaries as m')
    .innerJoin('sessions as s', 's.id', 'm.session_id')
    .select(['m.session_id', 'm.kind', 'm.title', 'm.text'])
    .select(sql<number>`CASE WHEN m.rows_version = s.rows_version THEN 1 ELSE 0 END`.as('isFresh'))
    .where('m.session_id', 'in', fewLengths(sessionIds))
    .where('m.agent_id', '=', '')
    .where(({ or, eb }) => or([eb('m.kind', '!=', 'ai'), eb('m.state', '=', 'made')]))
    .execute();
  const bySession = Map.groupBy(rows, ({ session_id }) => session_id);
  for (const id of sessionIds) {
    const workKind = workKinds.get(id);
    await tx
      .updateTable('sessions')
      .set({ ...bestOf(bySession.get(id) ?? []), ...(workKind === undefined ? {} : { work_kind: workKind }) })
      .where('id', '=', id)
      .execute();
  }
}

interface ShownText {
  readonly kind: string;
  readonly title: string | null;
  readonly text: string | null;
  readonly isFresh: number;
}

function bestOf(texts: readonly ShownText[]) {
  const find = (kind: SummaryKind) =>
    texts.find((one) => one.kind === kind && one.text !== null && (kind !== 'ai' || one.isFresh === 1));
  const narrative = find('narrative');
  const best = find('human') ?? find('ai') ?? narrative;
  const title = texts.find(({ kind }) => kind === 'human')?.title ?? narrative?.title;
  return {
    summary: best?.text ?? null,
    summary_kind: best?.kind ?? null,
    ...(title ? { title: cleanText(title) } : {}),
  };
}

/** `parsed` → `summarized`, for the given rows. Returns the sessions that have not changed meanwhile. */
export async function markSummarized(
  tx: Tx,
  sessions: readonly { readonly id: string; readonly rowsVersion: number }[],
): Promise<ReadonlySet<string>> {
  if (sessions.length === 0) return new Set();
  const marked = await tx
    .updateTable('sessions')
    .set({ lifecycle: 'summarized' })
    .where(({ or, and, eb }) =>
      or(
        fewLengths(sessions).map(({ id, rowsVersion }) =>
          and([eb('id', '=', id), eb('rows_version', '=', rowsVersion)]),
        ),
      ),
    )
    .whereRef('captured_version', '=', 'parsed_version')
    .where('lifecycle', '=', 'parsed')
    .returning('id')
    .execute();
  return new Set(marked.map(({ id }) => id));
}

/** Returns true when nothing was written to the session's files since then. */
export async function isQuietSince(db: Tx, sessionId: string, sinceMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('source_files')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('seen_mtime_ms', '>', sinceMs)
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
}

export interface SummariesWanted {
  readonly narrativeVersion: number;
  /** Null when AI summaries are disabled. */
  readonly ai: {
    readonly promptVersion: number;
    readonly model: string;
    /** Services, none of which may be paused. */
    readonly services: readonly string[];
    readonly quietSinceMs: number;
  } | null;
  readonly now: string;
}

/**
 * Finds sessions whose narrative is missing or outdated, and quiet ones whose AI summary is missing, stale or due for a
 * retry; newest first. Derived from the stored rows.
 */
export async function findSessionsToSummarize(
  db: Tx,
  limit: number,
  { narrativeVersion, ai, now }: SummariesWanted,
): Promise<readonly string[]> {
  const isAsking = ai !== null && (await readPause(db, ai.services, now)) === null;
  const rows = await db
    .selectFrom('sessions as s')
    .select('s.id')
    .where('s.parse_status', '=', 'completed')
    .where('s.lifecycle', '<>', 'archived')
    .where('s.revision', '>', 0)
    .where(({ or, not, exists, eb }) =>
      or([
        eb('s.lifecycle', '=', 'parsed'),
        not(exists(freshNarrative(db, narrativeVersion))),
        ...(isAsking ? [isAiDue(db, ai, now)] : []),
      ]),
    )
    .orderBy('s.deaths')
    .orderBy('s.started_at', 'desc')
    .orderBy('s.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Of these sessions, those that need no narrative now: it is current, or they are archived or not parsed. */
export async function keepNarrated(
  db: Tx,
  ids: readonly string[],
  narrativeVersion: number,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('sessions as s')
    .select('s.id')
    .where('s.id', 'in', fewLengths(ids))
    .where(({ or, and, exists, eb }) =>
      or([
        eb('s.parse_status', '<>', 'completed'),
        eb('s.lifecycle', '=', 'archived'),
        and([eb('s.lifecycle', '<>', 'parsed'), exists(freshNarrative(db, narrativeVersion))]),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Every condition is used in a query over `sessions as s`. */
function freshNarrative(db: Tx, version: number) {
  return db
    .selectFrom('session_summaries as n')
    .select('n.session_id')
    .where(sql<boolean>`n.session_id = s.id AND n.agent_id = '' AND n.kind = 'narrative'`)
    .where(sql<boolean>`n.rows_version = s.rows_version AND n.version = ${version}`);
}

function isAiDue(db: Tx, ai: NonNullable<SummariesWanted['ai']>, now: string) {
  const settled = db
    .selectFrom('session_summaries as a')
    .select('a.session_id')
    .where(sql<boolean>`a.session_id = s.id AND a.agent_id = '' AND a.kind = 'ai' AND a.rows_version = s.rows_version`)
    .where(sql<boolean>`a.version = ${ai.promptVersion} AND a.model = ${ai.model}`);
  const due = db
    .selectFrom('session_summaries as a')
    .select('a.session_id')
    .where(sql<boolean>`a.session_id = s.id AND a.kind = 'ai' AND a.state = 'waiting'`)
    .where('a.next_try_at', '<=', now);
  const writing = db
    .selectFrom('source_files as f')
    .select('f.id')
    .where(sql<boolean>`f.session_id = s.id AND f.seen_mtime_ms > ${ai.quietSinceMs}`);
  const { and, or, not, exists } = expressionBuilder<Database>();
  return and([
    sql<boolean>`s.lifecycle IN ('parsed', 'summarized') AND s.captured_version = s.parsed_version`,
    not(exists(writing)),
    or([not(exists(settled)), exists(due)]),
  ]);
}

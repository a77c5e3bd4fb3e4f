import { sql, type Updateable } from 'kysely';
import type { Engine, Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { cutText, indexKey } from '../../text.ts';

/**
 * Calls that cost money. The maximum cost is reserved before the call and corrected afterwards, each in one transaction
 * with the data it belongs to: a crash in between leaves the reservation, so the limit always holds.
 */
export interface Call {
  readonly sessionId: string;
  readonly agentId: string;
  readonly rowsVersion: number;
  readonly promptVersion: number;
  readonly model: string;
  readonly inputSha256: string;
  /** The UTC day that is charged. */
  readonly day: string;
  readonly reservedNanos: number;
}

export interface CallLimits {
  readonly maxNanosPerDay: number;
  readonly maxNanosPerSession: number;
}

type Reservation = 'reserved' | 'taken' | 'day_full' | 'session_full';

class NotReserved extends Error {
  readonly why: Reservation;

  constructor(why: Reservation) {
    super(why);
    this.why = why;
  }
}

/** Reserves the money and claims the question until `claimedUntil`; a second caller gets `taken`. */
export async function reserveCall(
  engine: Engine,
  call: Call,
  limits: CallLimits,
  { now, claimedUntil }: { readonly now: string; readonly claimedUntil: string },
): Promise<Reservation> {
  try {
    return await engine.transaction(async (tx) => {
      // The day's row first: it serializes reservations, so the session's total cannot be exceeded by a race.
      if (!(await takeFromDay(tx, call, limits.maxNanosPerDay))) throw new NotReserved('day_full');
      const spent = await spentOnSession(tx, call.sessionId);
      if (spent + call.reservedNanos > limits.maxNanosPerSession) throw new NotReserved('session_full');
      if (!(await claim(tx, call, now, claimedUntil))) throw new NotReserved('taken');
      return 'reserved' as const;
    });
  } catch (error) {
    if (error instanceof NotReserved) return error.why;
    throw error;
  }
}

async function takeFromDay(tx: Tx, { day, reservedNanos }: Call, maxNanos: number): Promise<boolean> {
  if (reservedNanos > maxNanos) return false;
  const { rows } = await sql<{ nanos: number }>`
    INSERT INTO summary_spend (day, nanos, calls) VALUES (${day}, ${reservedNanos}, 1)
    ON CONFLICT (day) DO UPDATE
      SET nanos = summary_spend.nanos + excluded.nanos, calls = summary_spend.calls + 1
      WHERE summary_spend.nanos + excluded.nanos <= ${maxNanos}
    RETURNING nanos`.execute(tx);
  return rows.length === 1;
}

async function spentOnSession(tx: Tx, sessionId: string): Promise<number> {
  const row = await tx
    .selectFrom('session_summaries')
    .select(sql<number | string | null>`sum(spent_nanos)`.as('nanos'))
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return Number(row.nanos ?? 0);
}

async function claim(tx: Tx, call: Call, now: string, claimedUntil: string): Promise<boolean> {
  const asked = {
    state: 'waiting',
    rows_version: call.rowsVersion,
    version: call.promptVersion,
    model: call.model,
    input_sha256: call.inputSha256,
    next_try_at: claimedUntil,
  };
  const { rows } = await sql<{ one: number }>`
    INSERT INTO session_summaries (session_id, agent_id, kind, state, rows_version, version, model, input_sha256, next_try_at,
      attempts, spent_nanos)
    VALUES (${call.sessionId}, ${indexKey(call.agentId)}, 'ai', ${asked.state}, ${asked.rows_version}, ${asked.version},
      ${asked.model}, ${asked.input_sha256}, ${asked.next_try_at}, 1, ${call.reservedNanos})
    ON CONFLICT (session_id, agent_id, kind) DO UPDATE
      SET state = excluded.state, rows_version = excluded.rows_version, version = excluded.version, model = excluded.model,
        bad_answers = CASE WHEN session_summaries.input_sha256 = excluded.input_sha256
          THEN session_summaries.bad_answers ELSE 0 END,
        input_sha256 = excluded.input_sha256,
        next_try_at = excluded.next_try_at,
        attempts = CASE WHEN session_summaries.input_sha256 = excluded.input_sha256
          THEN session_summaries.attempts + 1 ELSE 1 END,
        spent_nanos = session_summaries.spent_nanos + excluded.spent_nanos
      WHERE session_summaries.state != 'waiting' OR session_summaries.next_try_at IS NULL
        OR session_summaries.next_try_at <= ${now}
    RETURNING 1 AS one`.execute(tx);
  return rows.length === 1;
}

export type CallResult =
  | {
      readonly kind: 'made';
      readonly text: string;
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
    }
  | { readonly kind: 'waiting'; readonly nextTryAt: string; readonly error: string; readonly isBadAnswer: boolean }
  | { readonly kind: 'given_up'; readonly error: string };

const MAX_ERROR_CHARS = 500;

/** Saves the result of a reserved call with its actual cost. */
export async function finishCall(
  tx: Tx,
  call: Call,
  { costNanos, result, now }: { readonly costNanos: number; readonly result: CallResult; readonly now: string },
): Promise<void> {
  const change = costNanos - call.reservedNanos;
  await tx
    .updateTable('summary_spend')
    .set({ nanos: sql`nanos + ${change}` })
    .where('day', '=', call.day)
    .execute();
  await tx
    .updateTable('session_summaries')
    .set({ spent_nanos: sql`spent_nanos + ${change}`, ...columnsOf(result, now) })
    .where('session_id', '=', call.sessionId)
    .where('agent_id', '=', indexKey(call.agentId))
    .where('kind', '=', 'ai')
    .execute();
}

function columnsOf(result: CallResult, now: string) {
  if (result.kind === 'made') return madeColumns(result, now);
  const error = cutText(result.error, MAX_ERROR_CHARS).text;
  if (result.kind === 'given_up') return { state: 'given_up', error, next_try_at: null };
  const counted = result.isBadAnswer ? { bad_answers: sql<number>`bad_answers + 1` } : {};
  return { state: 'waiting', error, next_try_at: result.nextTryAt, ...counted };
}

function madeColumns({ text, tokensIn, tokensOut }: Extract<CallResult, { kind: 'made' }>, now: string) {
  return { ...MADE, made_at: now, text: cutText(text).text, tokens_in: tokensIn, tokens_out: tokensOut };
}

const MADE = { state: 'made', error: null, next_try_at: null, attempts: 0, bad_answers: 0 } as const;

/** Finds an answer that was already paid for: same input, prompt and model, in any session. */
export async function findAnswer(
  db: Tx,
  { inputSha256, promptVersion, model }: Pick<Call, 'inputSha256' | 'promptVersion' | 'model'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('session_summaries')
    .select('text')
    .where('input_sha256', '=', inputSha256)
    .where('version', '=', promptVersion)
    .where('model', '=', model)
    .where('kind', '=', 'ai')
    .where('state', '=', 'made')
    .limit(1)
    .executeTakeFirst();
  return row?.text ?? null;
}

type Question = Omit<Call, 'day' | 'reservedNanos'>;

/** Saves a known answer without a call. */
export function reuseAnswer(db: Tx, question: Question, text: string, now: string): Promise<void> {
  return saveWithoutCall(db, question, { ...MADE, made_at: now, text });
}

/** No call is worth making for this input: saves the reason until the session changes. */
export function giveUp(db: Tx, question: Question, error: string): Promise<void> {
  return saveWithoutCall(db, question, { state: 'given_up', error, next_try_at: null });
}

async function saveWithoutCall(
  db: Tx,
  { sessionId, agentId, rowsVersion, promptVersion, model, inputSha256 }: Question,
  outcome: Updateable<Database['session_summaries']> & { readonly state: string },
): Promise<void> {
  const values = { rows_version: rowsVersion, version: promptVersion, model, input_sha256: inputSha256, ...outcome };
  await db
    .insertInto('session_summaries')
    .values({ session_id: sessionId, agent_id: indexKey(agentId), kind: 'ai', ...values })
    .onConflict((conflict) => conflict.columns(['session_id', 'agent_id', 'kind']).doUpdateSet(values))
    .execute();
}

/** The spending of a UTC day: reserved calls count in full until they are answered. */
export async function readSpend(db: Tx, day: string): Promise<{ readonly nanos: number; readonly calls: number }> {
  const row = await db.selectFrom('summary_spend').select(['nanos', 'calls']).where('day', '=', day).executeTakeFirst();
  return row ?? { nanos: 0, calls: 0 };
}

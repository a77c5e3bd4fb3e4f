import { sql } from 'kysely';
import type { CommandRun, Decision, ReasoningHighlight, SummaryScope } from '../../../domain/summary.ts';
import type { GitOperation, ToolStatus } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { readGitOperations } from '../git/git-input.ts';
import { readJson } from '../../text.ts';
import { byThreads, inThreads, IS_OWN, isOfOwnMessage, ofRevision, type SummarySession } from './summary-rows.ts';

const SHELL_TOOLS = ['Bash', 'PowerShell'];
const CALLS_PER_QUERY = 100;
/** Only the beginning and the end of longer outputs are read. */
const OUTPUT_END_CHARS = 32_000;

/** Streams all shell commands with their outputs in order, a few at a time. */
export async function* readCommands(
  db: Tx,
  session: SummarySession,
  scope: SummaryScope,
): AsyncGenerator<CommandRun, void, undefined> {
  const noted = await readNotedGit(db, session);
  for (let after = -1; ; ) {
    const calls = await ofRevision(db, session, 'tool_calls')
      .select(['id', 'position', 'message_id', 'result_message_id', 'status', 'exit_code', 'started_at'])
      .where('name', 'in', SHELL_TOOLS)
      .where(byThreads(scope))
      .where(IS_OWN)
      .where('position', '>', after)
      .orderBy('position')
      .limit(CALLS_PER_QUERY)
      .execute();
    const inputs = await readInputs(db, session, calls);
    const outputs = await readOutputs(db, session, calls);
    for (const { id, status, exit_code: exitCode, started_at: at } of calls) {
      const command = (inputs.get(id) as { readonly command?: unknown } | undefined)?.command;
      if (typeof command !== 'string') continue;
      const output = outputs.get(id) ?? '';
      yield { command, at, status: status as ToolStatus, exitCode, output, noted: noted.get(id) ?? [] };
    }
    if (calls.length < CALLS_PER_QUERY) return;
    after = calls.at(-1)?.position ?? after;
  }
}

async function readNotedGit(db: Tx, { id }: SummarySession): Promise<ReadonlyMap<string, readonly GitOperation[]>> {
  const row = await db.selectFrom('sessions').select('metadata').where('id', '=', id).executeTakeFirstOrThrow();
  return Map.groupBy(readGitOperations(readJson(row.metadata)), ({ toolUseId }) => toolUseId);
}

interface Call {
  readonly message_id: string | null;
  readonly result_message_id: string | null;
}

async function readInputs(
  db: Tx,
  session: SummarySession,
  calls: readonly Call[],
): Promise<ReadonlyMap<string, unknown>> {
  const ids = calls.flatMap(({ message_id }) => message_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await ofRevision(db, session, 'content_blocks')
    .select(['tool_use_id', 'tool_input'])
    .where('message_id', 'in', ids)
    .where('tool_name', 'in', SHELL_TOOLS)
    .where('block_type', '=', 'tool_use')
    .execute();
  return new Map(rows.map(({ tool_use_id, tool_input }) => [tool_use_id ?? '', readJson<unknown>(tool_input ?? '{}')]));
}

async function readOutputs(db: Tx, session: SummarySession, calls: readonly Call[]): Promise<Map<string, string>> {
  const ids = calls.flatMap(({ result_message_id }) => result_message_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await ofRevision(db, session, 'content_blocks')
    .select(['tool_result_id', bothEnds().as('output')])
    .where('message_id', 'in', ids)
    .where('block_type', '=', 'tool_result')
    .where('result_text', 'is not', null)
    .execute();
  return new Map(rows.map(({ tool_result_id, output }) => [tool_result_id ?? '', output]));
}

function bothEnds() {
  const chars = sql.lit(OUTPUT_END_CHARS);
  return sql<string>`CASE WHEN length(result_text) <= 2 * ${chars} THEN result_text
    ELSE substr(result_text, 1, ${chars}) || ${sql.lit('\n')} || substr(result_text, length(result_text) - ${chars} + 1) END`;
}

/** The user's answers to the model's questions, in order. */
export async function readDecisions(
  db: Tx,
  session: SummarySession,
  scope: SummaryScope,
): Promise<readonly Decision[]> {
  const rows = await ofRevision(db, session, 'questions')
    .select(['question', 'answer'])
    .where('status', '=', 'answered')
    .where('answer', 'is not', null)
    .where(byThreads(scope))
    .where(isOfOwnMessage(session, 'questions.message_id'))
    .orderBy('position')
    .execute();
  return rows.flatMap(({ question, answer }) => (answer?.trim() ? [{ question, answer: answer.trim() }] : []));
}

const MESSAGES_PER_QUERY = 50;

/** Streams everything the model thought and wrote, in order. */
export async function* readModelTexts(
  db: Tx,
  session: SummarySession,
  scope: SummaryScope,
): AsyncGenerator<{ readonly text: string; readonly from: ReasoningHighlight['from'] }, void, undefined> {
  for (let after = -1; ; ) {
    const messages = await ofRevision(db, session, 'transcript_messages')
      .select(['id', 'ordinal'])
      .where(inThreads(scope))
      .where('origin', '=', 'model')
      .where(IS_OWN)
      .where(sql<boolean>`(has_text OR has_thinking)`)
      .where('ordinal', '>', after)
      .orderBy('ordinal')
      .limit(MESSAGES_PER_QUERY)
      .execute();
    if (messages.length > 0) yield* textsOf(db, session, messages);
    if (messages.length < MESSAGES_PER_QUERY) return;
    after = messages.at(-1)?.ordinal ?? after;
  }
}

async function* textsOf(db: Tx, session: SummarySession, messages: readonly { readonly id: string }[]) {
  const blocks = await ofRevision(db, session, 'content_blocks')
    .select(['message_id', 'block_type', 'content_text', 'thinking_text'])
    .where(
      'message_id',
      'in',
      messages.map(({ id }) => id),
    )
    .where('block_type', 'in', ['text', 'thinking'])
    .orderBy('block_order')
    .execute();
  const byMessage = Map.groupBy(blocks, ({ message_id }) => message_id);
  for (const block of messages.flatMap(({ id }) => byMessage.get(id) ?? [])) {
    const isThinking = block.block_type === 'thinking';
    const text = isThinking ? block.thinking_text : block.content_text;
    if (text) yield { text, from: isThinking ? ('thinking' as const) : ('answer' as const) };
  }
}

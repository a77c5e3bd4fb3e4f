import { sql } from 'kysely';
import { SHELL_TOOLS } from '../../../domain/shell-command.ts';
import type { CommandRun, ReasoningHighlight, SummaryScope } from '../../../domain/summary.ts';
import type { ToolStatus } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { readJson } from '../../text.ts';
import { OUTPUT_ENDS } from '../git/git-input.ts';
import { byThreads, type CallFacts, inThreads, type SummaryFacts } from './summary-facts.ts';

const CALLS_PER_QUERY = 100;

/** Streams all shell commands with their outputs in order, a few at a time. */
export async function* readCommands(
  db: Tx,
  facts: SummaryFacts,
  scope: SummaryScope,
): AsyncGenerator<CommandRun, void, undefined> {
  const isOfScope = byThreads(scope);
  const all = facts.calls.filter(
    (call) => SHELL_TOOLS.includes(call.name ?? '') && !call.is_inherited && isOfScope(call),
  );
  for (let at = 0; at < all.length; at += CALLS_PER_QUERY) {
    const calls = all.slice(at, at + CALLS_PER_QUERY);
    const { inputs, outputs } = await readCallTexts(db, facts, calls);
    for (const { id, status, exit_code: exitCode, started_at } of calls) {
      const { command } = inputs.get(id) ?? {};
      if (typeof command !== 'string') continue;
      const noted = facts.notedGit.get(id) ?? [];
      const output = outputs.get(id) ?? '';
      yield { command, at: started_at, status: status as ToolStatus, exitCode, output, noted };
    }
  }
}

interface CallTexts {
  readonly inputs: ReadonlyMap<string, { readonly command?: unknown }>;
  readonly outputs: ReadonlyMap<string, string>;
}

async function readCallTexts(
  db: Tx,
  { session: { id, revision } }: SummaryFacts,
  calls: readonly CallFacts[],
): Promise<CallTexts> {
  const messages = calls.flatMap(({ message_id, result_message_id }) => [message_id ?? [], result_message_id ?? []]);
  const ids = new Set(messages.flat());
  if (ids.size === 0) return { inputs: new Map(), outputs: new Map() };
  type Row = Record<'tool_use_id' | 'tool_input' | 'tool_result_id' | 'output', string | null>;
  const { rows } = await sql<Row>`
    SELECT tool_use_id, tool_input, tool_result_id, ${BOTH_ENDS} AS output FROM content_blocks
    WHERE session_id = ${id} AND revision = ${revision} AND message_id IN (${sql.join(fewLengths([...ids]))})
      AND ((block_type = 'tool_use' AND tool_name IN (${sql.join(SHELL_TOOLS)}))
        OR (block_type = 'tool_result' AND result_text IS NOT NULL))`.execute(db);
  const inputs = new Map<string, { readonly command?: unknown }>();
  const outputs = new Map<string, string>();
  for (const { tool_use_id, tool_input, tool_result_id, output } of rows) {
    if (output === null) inputs.set(tool_use_id ?? '', readJson(tool_input ?? '{}'));
    else outputs.set(tool_result_id ?? '', output);
  }
  return { inputs, outputs };
}

const BOTH_ENDS = sql`CASE WHEN block_type = 'tool_use' THEN NULL ELSE ${OUTPUT_ENDS} END`;

const MESSAGES_PER_QUERY = 50;

/** Streams everything the model thought and wrote, in order. */
export async function* readModelTexts(
  db: Tx,
  facts: SummaryFacts,
  scope: SummaryScope,
): AsyncGenerator<{ readonly text: string; readonly from: ReasoningHighlight['from'] }, void, undefined> {
  const isOfScope = inThreads(scope);
  const all = facts.messages.filter((message) => {
    const { origin, is_inherited, has_text, has_thinking } = message;
    return origin === 'model' && !is_inherited && (has_text || has_thinking) && isOfScope(message);
  });
  for (let at = 0; at < all.length; at += MESSAGES_PER_QUERY) {
    const ids = all.slice(at, at + MESSAGES_PER_QUERY).map(({ id }) => id);
    yield* textsOf(db, facts, ids);
  }
}

async function* textsOf(db: Tx, { session: { id, revision } }: SummaryFacts, messageIds: readonly string[]) {
  type Row = { message_id: string; block_type: string; content_text: string | null; thinking_text: string | null };
  const { rows } = await sql<Row>`
    SELECT message_id, block_type, content_text, thinking_text FROM content_blocks
    WHERE session_id = ${id} AND revision = ${revision} AND message_id IN (${sql.join(fewLengths(messageIds))})
      AND block_type IN ('text', 'thinking')
    ORDER BY block_order`.execute(db);
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  for (const block of messageIds.flatMap((messageId) => byMessage.get(messageId) ?? [])) {
    const isThinking = block.block_type === 'thinking';
    const text = isThinking ? block.thinking_text : block.content_text;
    if (text) yield { text, from: isThinking ? ('thinking' as const) : ('answer' as const) };
  }
}

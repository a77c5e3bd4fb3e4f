import type { BlockRow, MessageRow } from '../../api/transcript.ts';
import { toCsv } from '../../lib/csv.ts';
import { shorten } from '../../reading/format.ts';
import { messageKind } from '../../reading/kinds.ts';
import { contextText, textOf } from '../../reading/message-text.ts';
import { toolCall } from '../../reading/tool-call.ts';
import { exportedMessages, type SessionExport } from './session-export.ts';

type Cell = string | number | null;

export const CSV_COLUMNS = [
  'ordinal',
  'turn',
  'agent_id',
  'timestamp',
  'kind',
  'text',
  'tool',
  'status',
  'exit_code',
  'duration_ms',
  'model',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
  'is_inherited',
] as const;

/** Spreadsheets cut longer cells. */
const MAX_CELL_CHARS = 32_000;

/**
 * One row per message and one per tool call. Tokens and costs are in the rows of messages, so that a sum counts
 * everything once.
 */
export async function* csvOf(given: SessionExport): AsyncGenerator<string> {
  yield toCsv([CSV_COLUMNS]);
  const turnOf = turnCounter(given);
  for await (const message of exportedMessages(given)) {
    const turn = message.agent_id === null ? turnOf(message.ordinal) : null;
    const calls = message.content_blocks.filter(({ tool_use_id }) => tool_use_id !== null);
    const rows = [
      messageRowOf(message, turn),
      ...calls.map((call) => callRowOf(message, call, turn, given.session.cwd)),
    ];
    yield toCsv(given.showIds(rows).map(cellsOf));
  }
}

/** Messages come in order, so the turn only moves on. */
function turnCounter({ turns }: SessionExport): (ordinal: number) => number | null {
  let at = 0;
  return (ordinal) => {
    while (at < turns.length && (turns[at]?.ordinal ?? 0) <= ordinal) at += 1;
    return at === 0 ? null : at;
  };
}

type Row = Partial<Readonly<Record<(typeof CSV_COLUMNS)[number], Cell>>>;

function cellsOf(row: Row): readonly Cell[] {
  return CSV_COLUMNS.map((column) => row[column] ?? null);
}

/** What a message and its calls have in common. */
function placeOf({ ordinal, agent_id, timestamp, is_inherited }: MessageRow, turn: number | null): Row {
  return { ordinal, turn, agent_id, timestamp, is_inherited: String(is_inherited) };
}

function messageRowOf(message: MessageRow, turn: number | null): Row {
  const { model, tokens_in, tokens_out, cache_read, cache_write, cost_usd } = message;
  const kind = messageKind(message, () => textOf(message));
  const blocks = message.content_blocks.map(blockText).filter((text) => text !== '');
  return {
    ...placeOf(message, turn),
    kind: kind === 'blocks' ? (message.role === 'assistant' ? 'answer' : message.origin) : kind,
    text: shorten(kind === 'context' ? contextText(message) : blocks.join('\n\n'), MAX_CELL_CHARS),
    model,
    tokens_in,
    tokens_out,
    cost_usd,
    cache_read_tokens: cache_read,
    cache_write_tokens: cache_write,
  };
}

function blockText({ content_text, thinking_text, result_text }: BlockRow): string {
  return content_text ?? result_text ?? thinking_text ?? '';
}

function callRowOf(message: MessageRow, use: BlockRow, turn: number | null, cwd: string | null): Row {
  const { about, toolName, outcome } = toolCall({ use, result: null, facts: undefined, subagents: [], cwd });
  return {
    ...placeOf(message, turn),
    kind: 'tool_call',
    text: shorten(about, MAX_CELL_CHARS),
    tool: toolName,
    status: outcome.status,
    exit_code: outcome.exitCode,
    duration_ms: outcome.durationMs,
  };
}

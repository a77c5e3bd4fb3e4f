import type { BlockRow, MessageRow } from '../domain/query.ts';
import { fitWidth, textWidth } from '../lib/text-width.ts';
import { visible, visibleLine } from '../lib/visible.ts';
import type { Reads } from '../server/reads.ts';
import { formatCost } from './format.ts';
import { paint, type Terminal } from './terminal.ts';

const PAGE_ROWS = 500;
const RESULT_LINES = 6;

/** All messages of a session, fetched page by page. */
export async function* readWholeTranscript(reads: Reads, sessionId: string): AsyncGenerator<MessageRow> {
  let after: number | null = -1;
  while (after !== null) {
    const page = await reads.getTranscript(sessionId, { after, limit: PAGE_ROWS });
    yield* page.messages;
    after = page.next_after;
  }
}

const HUMAN = new Set(['human', 'queued']);

/** One message for reading in a terminal; empty for what only the client needed. */
export function renderMessage(terminal: Terminal, message: MessageRow): string {
  const blocks = message.content_blocks.map((block) => renderBlock(terminal, block)).filter((text) => text !== '');
  if (blocks.length === 0) return '';
  const body = blocks.join('\n');
  if (message.origin === 'tool_result') return `${body}\n`;
  return `${heading(terminal, message)}\n${isQuiet(message) ? paint(terminal, 'dim', body) : body}\n`;
}

function isQuiet({ origin, role }: MessageRow): boolean {
  return role !== 'assistant' && !HUMAN.has(origin);
}

function heading(terminal: Terminal, message: MessageRow): string {
  const who = HUMAN.has(message.origin)
    ? 'You'
    : message.role === 'assistant'
      ? 'Claude'
      : message.origin.replaceAll('_', ' ');
  const agent = message.agent_id === null ? '' : ` (sub-agent ${visibleLine(message.agent_id)})`;
  const time = message.timestamp?.slice(0, 16).replace('T', ' ') ?? '';
  const cost = message.cost_usd === null ? '' : `  ${formatCost(message.cost_usd)}`;
  const style = HUMAN.has(message.origin) ? 'cyan' : message.role === 'assistant' ? 'green' : 'dim';
  return `${paint(terminal, style, `${who}${agent}`)}  ${paint(terminal, 'dim', `${time}${cost}`)}`;
}

function renderBlock(terminal: Terminal, block: BlockRow): string {
  switch (block.block_type) {
    case 'text':
      return wrap(visible(block.content_text ?? '').trim(), terminal.columns);
    case 'thinking':
    case 'redacted_thinking':
      return paint(terminal, 'dim', `  ✻ thinking (${(block.thinking_text ?? '').length} characters)`);
    case 'tool_use':
    case 'server_tool_use':
      return fitWidth(`  ● ${visibleLine(block.tool_name ?? 'tool')} ${inputSummary(block)}`, terminal.columns);
    case 'tool_result':
    case 'server_tool_result':
      return renderResult(terminal, block);
    default:
      return `  [${visibleLine(block.block_type)}]`;
  }
}

const TELLING_KEYS = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'skill'];

function inputSummary({ tool_input }: BlockRow): string {
  if (typeof tool_input !== 'object' || tool_input === null || Array.isArray(tool_input)) return '';
  const input = new Map(Object.entries(tool_input));
  const telling = TELLING_KEYS.map((key) => input.get(key)).find((value) => typeof value === 'string');
  return visibleLine(typeof telling === 'string' ? telling : JSON.stringify(tool_input));
}

function renderResult(terminal: Terminal, block: BlockRow): string {
  const lines = visible(block.result_text ?? '')
    .trimEnd()
    .split('\n');
  const shown = lines.slice(0, RESULT_LINES).map((line) => fitWidth(`  │ ${line}`, terminal.columns));
  if (lines.length > RESULT_LINES) shown.push(`  │ … ${lines.length - RESULT_LINES} more lines`);
  const text = shown.join('\n');
  return block.is_error === true ? paint(terminal, 'red', text) : paint(terminal, 'dim', text);
}

/** Words move to the next line before they pass the edge; long ones and code keep their own line. */
export function wrap(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (current !== '' && textWidth(joined) > columns) {
      lines.push(current);
      current = word;
    } else current = joined;
  }
  lines.push(current);
  return lines;
}

import { outputText, taggedText } from '../../domain/client-tags.ts';
import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { fitWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import { formatCompact, formatCost, formatTime } from '../../reading/format.ts';
import type { ToolCall } from '../../api/answers/structure.ts';
import { paint } from '../terminal.ts';
import { textOf } from './prompt.ts';
import { renderCall } from './tool-call.ts';
import { beside, cutLines, hang, oneLine, paintLines, proseLines, safeLines, type View } from './view.ts';

const MARGIN = '  ';
const REMARK_LINES = 3;

/** What is known of the calls beyond the messages. */
export interface CallFacts {
  readonly calls: ReadonlyMap<string, ToolCall>;
  /** The work of sub-agents, by the call that started them. */
  readonly nested: ReadonlyMap<string, readonly string[]>;
}

/** A piece of work: lines, and whether it is a call, which hangs in the tree. */
interface Item {
  readonly isCall: boolean;
  readonly lines: readonly string[];
}

/** The model at work: what it said, its calls as a tree, remarks of the client muted. */
export function renderWork(view: View, messages: readonly MessageRow[], facts: CallFacts): string[] {
  const inner = beside(view, MARGIN.length);
  const items = itemsOf(inner, messages, facts).filter(({ lines }) => lines.length > 0);
  if (items.length === 0) return [];
  const first = messages.find(({ role }) => role === 'assistant');
  const head = first === undefined ? [] : [headOf(view, first, messages)];
  return [...head, ...hang(asTree(items), MARGIN, MARGIN)];
}

function headOf({ terminal, columns, isFull }: View, first: MessageRow, messages: readonly MessageRow[]): string {
  const cost = messages.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  const model = visibleLine(first.model ?? '')
    .replace(/^claude-/, '')
    .replace(/-20\d{6}$/, '');
  const money = cost > 0 ? formatCost(cost) : '';
  const request = [...unusualRequests(messages), ...(isFull ? cacheMisses(messages) : [])];
  const facts = [formatTime(first.timestamp), model, money, ...request].filter((fact) => fact !== '');
  const who = '● Claude';
  const about = fitWidth(facts.join(' · '), columns - who.length - MARGIN.length);
  return `${paint(terminal, 'green', who)}${MARGIN}${paint(terminal, 'dim', about)}`.trimEnd();
}

/** Speed and service tier, where they are not the usual ones. */
function unusualRequests(messages: readonly MessageRow[]): string[] {
  const names = messages.flatMap(({ speed, service_tier }) => [speed ?? '', service_tier ?? '']);
  return [...new Set(names)].filter((name) => name !== '' && name !== 'standard').map(visibleLine);
}

function cacheMisses(messages: readonly MessageRow[]): string[] {
  return messages.flatMap(({ cache_miss_reason: reason, cache_missed_tokens: tokens }) => {
    if (reason === null) return [];
    const size = tokens === null ? '' : ` (${formatCompact(tokens)} tokens)`;
    return [`cache miss: ${visibleLine(reason).replaceAll('_', ' ')}${size}`];
  });
}

const BRANCH = '├─ ';
const LAST = '└─ ';
const TRUNK = '│  ';
const NOTHING = '   ';

/** Calls that follow each other are branches of one tree; text between them stands free. */
function asTree(items: readonly Item[]): string[] {
  return items.flatMap(({ isCall, lines }, at) => {
    const gap = !isCall && items[at - 1]?.isCall === true ? [''] : [];
    if (!isCall) return [...gap, ...lines];
    const goesOn = items[at + 1]?.isCall === true;
    return hang(lines, goesOn ? BRANCH : LAST, goesOn ? TRUNK : NOTHING);
  });
}

function itemsOf(view: View, messages: readonly MessageRow[], facts: CallFacts): Item[] {
  const blocks = messages.flatMap(({ content_blocks }) => content_blocks);
  const uses = new Set(blocks.filter(isUse).map(({ tool_use_id }) => tool_use_id));
  const results = new Map(blocks.filter(isResult).map((block) => [block.tool_result_id, block]));
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' && message.origin !== 'tool_result') return [remark(view, message)];
    if (message.origin === 'synthetic') return [free(paintLines(view, 'yellow', proseLines(view, textOf(message))))];
    return joinThoughts(message.content_blocks).map((block) => {
      if (isUse(block)) return call(view, block, results.get(block.tool_use_id), facts);
      // A result stands with its call; one whose call is elsewhere stands for itself.
      if (!isResult(block)) return free(plainBlock(view, block));
      return uses.has(block.tool_result_id) ? free([]) : call(view, block, block, facts);
    });
  });
}

function free(lines: readonly string[]): Item {
  return { isCall: false, lines };
}

const TREE_COLUMNS = BRANCH.length;

function call(view: View, use: BlockRow, result: BlockRow | undefined, { calls, nested }: CallFacts): Item {
  const id = use.tool_use_id ?? use.tool_result_id ?? '';
  const shown = { use, result, facts: calls.get(id), nested: nested.get(id) ?? [] };
  return { isCall: true, lines: renderCall(beside(view, TREE_COLUMNS), shown) };
}

function isUse({ block_type }: BlockRow): boolean {
  return block_type === 'tool_use' || block_type === 'server_tool_use';
}

function isResult({ block_type }: BlockRow): boolean {
  return block_type === 'tool_result' || block_type === 'server_tool_result';
}

function isThought({ block_type }: BlockRow): boolean {
  return block_type === 'thinking' || block_type === 'redacted_thinking';
}

/** Thoughts in a row are one. */
function joinThoughts(blocks: readonly BlockRow[]): readonly BlockRow[] {
  const joined: BlockRow[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last === undefined || !isThought(last) || !isThought(block)) joined.push(block);
    else
      joined[joined.length - 1] = {
        ...last,
        thinking_text: `${last.thinking_text ?? ''}\n\n${block.thinking_text ?? ''}`,
      };
  }
  return joined;
}

function plainBlock(view: View, block: BlockRow): string[] {
  if (isThought(block)) return thought(view, block.thinking_text ?? '');
  const text = block.content_text ?? '';
  if (text.trim() !== '') return proseLines(view, text);
  return block.block_type === 'text' ? [] : paintLines(view, 'dim', [oneLine(view, `[${block.block_type}]`)]);
}

/** Thoughts are told by their length; those that were kept secret not at all. */
function thought(view: View, text: string): string[] {
  if (text.trim() === '') return [];
  const head = oneLine(view, `✻ thinking · ${formatCompact(text.length)} characters`);
  const body = view.hasThinking ? hang(proseLines(beside(view, MARGIN.length), text), MARGIN, MARGIN) : [];
  return paintLines(view, 'dim', [head, ...body]);
}

/** What only the client and the model need is left out, unless everything is asked for. */
const UNTOLD: ReadonlySet<string> = new Set(['meta', 'context']);
const TOLD_CONTEXT: ReadonlySet<string | null> = new Set(['hook_non_blocking_error', 'hook_system_message']);

function remark(view: View, message: MessageRow): Item {
  const { origin, subtype, message_type } = message;
  const isUntold = (UNTOLD.has(origin) && !TOLD_CONTEXT.has(subtype)) || message_type === 'summary';
  const text = remarkText(message).trim();
  if (text === '' || (isUntold && !view.isFull)) return free([]);
  if (origin === 'interruption') return free(paintLines(view, 'yellow', [oneLine(view, `⏹ ${text}`)]));
  const name = (subtype ?? origin).replaceAll(/[_-]/g, ' ');
  const [first = '', ...rest] = cutLines(beside(view, 2), safeLines(text), REMARK_LINES);
  const isShort = rest.length === 0;
  const head = oneLine(view, `· ${name}${isShort ? `: ${first}` : ''}`);
  const body = isShort ? [] : hang([first, ...rest], MARGIN, MARGIN);
  return free(paintLines(view, 'dim', [head, ...body]));
}

function remarkText(message: MessageRow): string {
  const text = textOf(message);
  if (message.origin === 'task_notification') return taggedText(text, 'summary') ?? text;
  if (message.origin === 'interruption') return text.replaceAll(/^\[|\]$/g, '');
  return outputText(text);
}

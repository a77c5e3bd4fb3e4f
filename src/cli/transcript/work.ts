import type { MessageRow } from '../../api/transcript.ts';
import { fitWidth, textWidth, visibleLine } from '../../lib/terminal-text.ts';
import { type Diff, formatChange } from '../../reading/diff.ts';
import type { ContextItem, Entry, EntryOf } from '../../reading/entry.ts';
import { formatCompact, formatCost, formatTime, shortModel } from '../../reading/format.ts';
import { diffOf, outcomeText, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { paint } from '../terminal.ts';
import { beside, cutLines, hang, oneLine, outputLines, paintLines, proseLines, safeLines, type View } from './view.ts';

const MARGIN = '  ';
const NOTE_LINES = 3;

/** The rendered work of sub-agents, by the call that started them. */
export type Nested = ReadonlyMap<string, readonly string[]>;

/** Lines of an entry; calls are drawn as a tree. */
interface Item {
  readonly isCall: boolean;
  readonly lines: readonly string[];
}

/** The work of the model: its text, its calls as a tree, notices of the client dimmed. */
export function renderWork(view: View, entries: readonly Entry[], nested: Nested): string[] {
  const inner = beside(view, MARGIN.length);
  const items = entries.flatMap((entry) => itemsOf(inner, entry, nested)).filter(({ lines }) => lines.length > 0);
  if (items.length === 0) return [];
  const messages = [...new Set(entries.map(({ message }) => message))];
  const first = messages.find(({ role }) => role === 'assistant');
  const head = first === undefined ? [] : [headOf(view, first, messages)];
  return [...head, ...hang(asTree(items), MARGIN, MARGIN)];
}

function headOf({ terminal, columns, isFull }: View, first: MessageRow, messages: readonly MessageRow[]): string {
  const cost = messages.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  const model = first.model === null ? '' : visibleLine(shortModel(first.model));
  const money = cost > 0 ? formatCost(cost) : '';
  const request = [...unusualRequests(messages), ...(isFull ? cacheMisses(messages) : [])];
  const facts = [formatTime(first.timestamp), model, money, ...request].filter((fact) => fact !== '');
  const who = '● Claude';
  const about = fitWidth(facts.join(' · '), columns - who.length - MARGIN.length);
  return `${paint(terminal, 'green', who)}${MARGIN}${paint(terminal, 'dim', about)}`.trimEnd();
}

/** Speed and service tier unless they are the default. */
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

/** Consecutive calls are branches of one tree; text between them is not indented. */
function asTree(items: readonly Item[]): string[] {
  return items.flatMap(({ isCall, lines }, at) => {
    const gap = !isCall && items[at - 1]?.isCall === true ? [''] : [];
    if (!isCall) return [...gap, ...lines];
    const goesOn = items[at + 1]?.isCall === true;
    return hang(lines, goesOn ? BRANCH : LAST, goesOn ? TRUNK : NOTHING);
  });
}

function free(lines: readonly string[]): Item {
  return { isCall: false, lines };
}

const TREE_COLUMNS = BRANCH.length;

function itemsOf(view: View, entry: Entry, nested: Nested): readonly Item[] {
  switch (entry.kind) {
    case 'answer':
      return [free(proseLines(view, entry.text))];
    case 'thinking':
      return [free(thinkingLines(view, entry))];
    case 'tool': {
      const lines = renderCall(beside(view, TREE_COLUMNS), entry.call, nested.get(entry.call.id) ?? []);
      return [{ isCall: true, lines }];
    }
    case 'result': {
      const lines = renderResult(beside(view, TREE_COLUMNS), entry.result);
      return [{ isCall: true, lines: [paint(view.terminal, 'bold', 'Result without its call'), ...lines] }];
    }
    case 'media':
      return [free(paintLines(view, 'dim', [oneLine(view, entry.media.text)]))];
    case 'notice':
      return [free(noticeLines(view, entry))];
    case 'summary':
      return [free(summaryLines(view, entry))];
    case 'context':
      return entry.items.map((item) => free(contextLines(view, item)));
    default:
      return [];
  }
}

/** Thinking is shown by its length, or in full on request; hidden thinking is omitted. */
function thinkingLines(view: View, { text }: EntryOf<'thinking'>): string[] {
  if (text === '') return [];
  const head = oneLine(view, `✻ thinking · ${formatCompact(text.length)} characters`);
  const body = view.hasThinking ? hang(proseLines(beside(view, MARGIN.length), text), MARGIN, MARGIN) : [];
  return paintLines(view, 'dim', [head, ...body]);
}

function noticeLines(view: View, { text, isInterruption }: EntryOf<'notice'>): string[] {
  return paintLines(view, 'yellow', isInterruption ? [oneLine(view, `⏹ ${text}`)] : proseLines(view, text));
}

/** A title that the client wrote as a summary is not part of the conversation. */
function summaryLines(view: View, { label, text, message }: EntryOf<'summary'>): string[] {
  return message.message_type === 'summary' && !view.isFull ? [] : noteLines(view, label, text);
}

function contextLines(view: View, { isInternal, label, text, brief }: ContextItem): string[] {
  return isInternal && !view.isFull ? [] : noteLines(view, label, view.isFull ? text : brief);
}

function noteLines(view: View, name: string, text: string): string[] {
  if (text.trim() === '') return [];
  const [first = '', ...rest] = cutLines(beside(view, 2), outputLines(text.trim()), NOTE_LINES);
  const isShort = rest.length === 0;
  const head = oneLine(view, `· ${name}${isShort ? `: ${first}` : ''}`);
  return paintLines(view, 'dim', [head, ...(isShort ? [] : hang([first, ...rest], MARGIN, MARGIN))]);
}

const RESULT_LINES = 6;
const DIFF_LINES = 14;

/** A call: its name and subject on one line, followed by its changes, its output or the work of its sub-agents. */
function renderCall(view: View, call: ToolCall, nested: readonly string[]): string[] {
  return [callHead(view, call), ...(nested.length > 0 ? nested : callBody(view, call))];
}

function callHead({ terminal, columns }: View, call: ToolCall): string {
  const name = fitWidth(visibleLine(call.name), columns);
  const outcome = fitWidth(outcomeText(call), Math.max(0, columns - textWidth(name) - 1));
  const room = columns - textWidth(name) - textWidth(outcome) - 4;
  const about = room < 4 ? '' : fitWidth(visibleLine(call.about), room);
  const style = call.outcome.isError ? 'red' : 'dim';
  return [
    paint(terminal, 'bold', name),
    ...(about === '' ? [] : [about]),
    ...(outcome === '' ? [] : [paint(terminal, style, outcome)]),
  ].join(' '.repeat(about === '' ? 1 : 2));
}

/** Views that are more useful than the result of the call. */
const SHOWN_VIEWS: ReadonlySet<string> = new Set(['todos', 'task', 'tasks', 'questions', 'plan']);
/** Lists get more lines, because a change can be anywhere in them. */
const LIST_LINES = 14;

function callBody(view: View, call: ToolCall): string[] {
  const diff = diffOf(call);
  if (diff !== null) return renderDiff(view, diff);
  const toolView = viewOf(call);
  if (!call.outcome.isError && SHOWN_VIEWS.has(toolView.kind))
    return paintLines(view, 'dim', cutLines(view, safeLines(viewText(toolView)), mostLines(toolView.kind)));
  return call.result === null ? [] : renderResult(view, call.result);
}

function mostLines(kind: string): number {
  return kind === 'todos' || kind === 'tasks' ? LIST_LINES : RESULT_LINES;
}

function renderResult(view: View, { text, isError }: ToolResult): string[] {
  if (text.trimEnd() === '') return [];
  return paintLines(view, isError ? 'red' : 'dim', cutLines(view, outputLines(text.trimEnd()), RESULT_LINES));
}

const DIFF_STYLES = { '-': 'red', '+': 'green' } as const;

function renderDiff(view: View, diff: Diff): string[] {
  const marked = diff.lines.map(({ mark, text }) => `${mark} ${safeLines(text).join(' ')}`);
  const sum = paint(view.terminal, 'dim', fitWidth(formatChange(diff), view.columns));
  return [
    sum,
    ...cutLines(view, marked, DIFF_LINES).map((line) => {
      const style = DIFF_STYLES[line[0] as keyof typeof DIFF_STYLES] ?? 'dim';
      return paint(view.terminal, style, line);
    }),
  ];
}

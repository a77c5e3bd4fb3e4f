import { plainOutput } from '../../reading/ansi.ts';
import { MAX_SHARED_DIFF_LINES } from '../../reading/diff.ts';
import { streamEntries } from '../../reading/entries.ts';
import { type Entry, type EntryOf, isFromAgent } from '../../reading/entry.ts';
import { firstLine, plural, shortModel } from '../../reading/format.ts';
import {
  CLOSE_DETAILS,
  codeSpan,
  details,
  escapeInline,
  escapeLine,
  fence,
  openDetails,
  quoteBlock,
  writeHeading,
  writeMarkdown,
  writeTyped,
} from '../../reading/markdown-writer.ts';
import { titleOf } from '../../reading/names.ts';
import { type Branch, branchText, describeAgent, type Subagent } from '../../reading/parts.ts';
import { readMessages, WHOLE } from '../../reading/read-messages.ts';
import { shownFacts, utcTime } from '../../reading/shown-session.ts';
import { diffOf, markOf, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { type SessionExport, turnNumbers } from './session-export.ts';

/**
 * A session as Markdown for GitHub: prompts and answers as text, everything else collapsed. Text that no person wrote or
 * read is left out. Blocks are separated by blank lines, and only a few messages are held in memory.
 */
export async function* writeSession(given: SessionExport): AsyncGenerator<string> {
  const { session, parts, span } = given;
  yield* blocks(head(given));
  const context: Context = { ...given, numbers: turnNumbers(given), shown: new Set() };
  yield* writeThread(context, null, 0);
  for (const subagent of span === WHOLE ? parts.subagents : []) yield* writeSubagent(context, subagent, 0);
  yield `*Exported by fuel-code from session ${escapeLine(session.id)}.*\n`;
}

interface Context extends SessionExport {
  readonly numbers: ReadonlyMap<number, number>;
  /** Sub-agents shown so far, so that none is shown twice or inside itself. */
  readonly shown: Set<string>;
}

function* blocks(parts: readonly string[]): Generator<string> {
  for (const part of parts) if (part !== '') yield `${part}\n\n`;
}

function head({ session, turns, span }: SessionExport): readonly string[] {
  const rows = shownFacts(session).map(([name, value]) => `| ${name} | ${escapeInline(value)} |`);
  const last = turns.filter(({ ordinal }) => ordinal < span.to).length;
  const first = turns.filter(({ ordinal }) => ordinal < span.from).length + 1;
  const part =
    span === WHOLE ? '' : `*${first === last ? `Turn ${first}` : `Turns ${first} to ${last}`} of ${turns.length}.*`;
  return [writeHeading(1, escapeInline(titleOf(session))), ['| | |', '|---|---|', ...rows].join('\n'), part];
}

async function* writeThread(context: Context, agentId: string | null, depth: number): AsyncGenerator<string> {
  const { get, session, parts } = context;
  const span = agentId === null ? context.span : WHOLE;
  const messages = readMessages(get, session.id, { agentId, from: span.from });
  for await (const entry of streamEntries(messages, { parts, cwd: session.cwd })) {
    // By now some messages after the span were read, which have the results of its calls.
    if (entry.message.ordinal >= span.to) return;
    yield* blocks(entryBlocks(context, entry));
    if (entry.kind !== 'tool') continue;
    for (const subagent of entry.call.subagents) yield* writeSubagent(context, subagent, depth);
  }
}

/** Sub-agents nested more deeply are shown at the end. */
const MAX_DEPTH = 6;

async function* writeSubagent(context: Context, subagent: Subagent, depth: number): AsyncGenerator<string> {
  if (context.shown.has(subagent.agent_id) || depth >= MAX_DEPTH) return;
  context.shown.add(subagent.agent_id);
  const { name, description, facts, state } = describeAgent(subagent);
  const mark = [state, facts].filter((part) => part !== '').join(' · ');
  yield* blocks([openDetails({ name, about: description, mark })]);
  yield* writeThread(context, subagent.agent_id, depth + 1);
  yield* blocks([CLOSE_DETAILS]);
}

function entryBlocks(context: Context, entry: Entry): readonly string[] {
  switch (entry.kind) {
    case 'prompt':
      return promptBlocks(context, entry);
    case 'command':
      return [...turnHead(context, entry, entry.text), codeSpan(entry.text)];
    case 'answer':
      return answerBlocks(entry);
    case 'thinking':
      return [details({ name: 'Thinking' }, [writeMarkdown(entry.text), cutNote(entry.isCut)])];
    case 'tool':
      return [toolBlock(entry.call)];
    case 'result':
      return [details({ name: 'Result without its call' }, resultParts(entry.result))];
    case 'media':
      return [note(entry.media.text)];
    case 'notice':
      return [quoteBlock(`[!${entry.isError ? 'WARNING' : 'NOTE'}]\n${writeTyped(entry.text)}`)];
    case 'compaction':
      return ['---', note(entry.text)];
    case 'summary':
      return [details({ name: entry.label }, [writeMarkdown(entry.text)])];
    case 'context':
    case 'empty':
      return [];
    default:
      return entry satisfies never;
  }
}

const MAX_HEADING_CHARS = 80;

/** `## 3. Fix the login`, which GitHub lists in its outline; only the main conversation has numbers. */
function turnHead({ numbers }: Context, { message, branch }: Branched, text: string): readonly string[] {
  const number = message.agent_id === null ? numbers.get(message.ordinal) : undefined;
  const line = firstLine(text, MAX_HEADING_CHARS);
  const heading = number === undefined ? '' : writeHeading(2, `${number}. ${escapeInline(line) || 'Prompt'}`);
  return [heading, branch === null ? '' : note(branchText(branch))];
}

type Branched = Pick<Entry, 'message'> & { readonly branch: Branch | null };

/** "You" would be the reader, who did not type the prompt. */
function promptBlocks(context: Context, entry: EntryOf<'prompt'>): readonly string[] {
  const { speaker, message, text, media } = entry;
  const by = [`**${escapeLine(speaker.replace(/^You/, 'Prompt'))}**`, utcTime(message.timestamp)]
    .filter(Boolean)
    .join(' · ');
  return [
    ...turnHead(context, entry, text),
    by,
    quoteBlock((isFromAgent(message.origin) ? writeMarkdown(text) : writeTyped(text)) || '*(no text)*'),
    ...media.map((each) => note(each.text)),
  ];
}

function answerBlocks({ message, text, isCut, isNewSpeaker }: EntryOf<'answer'>): readonly string[] {
  const by = [`**${escapeLine(shortModel(message.model)) || 'Model'}**`, utcTime(message.timestamp)]
    .filter(Boolean)
    .join(' · ');
  return [isNewSpeaker ? by : '', writeMarkdown(text), cutNote(isCut)];
}

function note(text: string): string {
  const shown = escapeLine(text);
  return shown === '' ? '' : `*${shown}*`;
}

/** Rows hold a limited amount of text; the archive has all of it. */
function cutNote(isCut: boolean): string {
  return isCut ? '*The rest of this text is omitted.*' : '';
}

function toolBlock(call: ToolCall): string {
  const result = call.result === null ? [] : resultParts(call.result);
  return details({ name: call.name, about: call.about, mark: markOf(call) }, [inputBlock(call), ...result]);
}

function inputBlock(call: ToolCall): string {
  const diff = diffOf(call);
  if (diff === null) {
    const view = viewOf(call);
    const text = viewText(view);
    const isCommand = view.kind === 'command';
    // A command is there to be copied; anything else is not repeated.
    const isKnown = !isCommand && text.trim() === call.about.trim();
    return text.trim() === '' || isKnown ? '' : fence(text, isCommand ? 'sh' : '');
  }
  const lines = diff.lines
    .slice(0, MAX_SHARED_DIFF_LINES)
    .map(({ mark, text }) => (mark === '…' ? `@@ ${text} @@` : mark + text));
  const rest = diff.lines.length - MAX_SHARED_DIFF_LINES;
  return fence([...lines, ...(rest > 0 ? [`@@ ${plural(rest, 'more line')} @@`] : [])].join('\n'), 'diff');
}

function resultParts({ text, isCut, media }: ToolResult): readonly string[] {
  const shown = plainOutput(text);
  const output = shown.trim() === '' ? (media.length > 0 ? '' : '*No output.*') : fence(shown);
  return [output, cutNote(isCut), ...media.map((each) => note(each.text))];
}

import { fitWidth, textWidth, visibleLine } from '../../lib/terminal-text.ts';
import { streamEntries } from '../../reading/entries.ts';
import type { Entry, EntryOf } from '../../reading/entry.ts';
import { formatTime } from '../../reading/format.ts';
import { shortId } from '../../reading/names.ts';
import {
  branchText,
  describeAgent,
  indexParts,
  readParts,
  type SessionParts,
  type Subagent,
} from '../../reading/parts.ts';
import type { Source } from '../source.ts';
import { paint } from '../terminal.ts';
import { readThread } from './read-transcript.ts';
import { beside, hang, paintLines, proseLines, type View } from './view.ts';
import { type Nested, renderWork } from './work.ts';

interface Session {
  readonly id: string;
  readonly cwd: string | null;
}

interface Context {
  readonly source: Source;
  readonly session: Session;
  readonly parts: SessionParts;
  /** Sub-agents shown so far, so that none is shown twice or inside itself. */
  readonly shown: Set<string>;
}

/** The conversation as lines, with sub-agents below the calls that started them. */
export async function* renderTranscript(view: View, source: Source, session: Session): AsyncGenerator<string> {
  const parts = indexParts(await readParts(source.get, session.id));
  const context = { source, session, parts, shown: new Set<string>() };
  for await (const lines of renderThread(view, context, null)) yield `\n${lines.join('\n')}\n`;
  for (const subagent of context.parts.subagents) {
    if (context.shown.has(subagent.agent_id)) continue;
    yield `\n${(await renderSubagent(view, context, subagent)).join('\n')}\n`;
  }
}

async function* renderThread(view: View, context: Context, agentId: string | null): AsyncGenerator<string[]> {
  const { source, session, parts } = context;
  const entries = streamEntries(readThread(source, session.id, agentId), { parts, cwd: session.cwd });
  for await (const group of groupEntries(entries)) {
    const lines = renderGroup(view, group, await renderStarted(view, context, group));
    if (lines.length > 0) yield lines;
  }
}

type Heading = EntryOf<'prompt' | 'command' | 'compaction'>;
type Group = Heading | readonly Entry[];

/** Groups everything the model said and did in one turn, including results and notices. */
export async function* groupEntries(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Group> {
  let work: Entry[] = [];
  for await (const entry of entries) {
    if (entry.kind !== 'prompt' && entry.kind !== 'command' && entry.kind !== 'compaction') {
      work.push(entry);
      continue;
    }
    if (work.length > 0) yield work;
    work = [];
    yield entry;
  }
  if (work.length > 0) yield work;
}

export function renderGroup(view: View, group: Group, nested: Nested): string[] {
  if (!('kind' in group)) return renderWork(view, group, nested);
  return group.kind === 'compaction' ? [compactionLine(view, group)] : renderPrompt(view, group);
}

function compactionLine({ terminal, columns }: View, { text }: EntryOf<'compaction'>): string {
  const line = fitWidth(`── ${visibleLine(text)} `, columns);
  return paint(terminal, 'yellow', line + '─'.repeat(columns - textWidth(line)));
}

/** Columns taken by the tree: margin and branches. */
const NESTED_COLUMNS = 5;

async function renderStarted(view: View, context: Context, group: Group): Promise<Nested> {
  const nested = new Map<string, readonly string[]>();
  for (const entry of 'kind' in group ? [] : group) {
    if (entry.kind !== 'tool') continue;
    const { id, subagents } = entry.call;
    for (const subagent of subagents.filter(({ agent_id }) => !context.shown.has(agent_id))) {
      const lines = await renderSubagent(beside(view, NESTED_COLUMNS), context, subagent);
      nested.set(id, [...(nested.get(id) ?? []), ...lines]);
    }
  }
  return nested;
}

const MIN_COLUMNS = 24;

/** One line about a sub-agent, followed by its conversation if requested and if the terminal is wide enough. */
async function renderSubagent(view: View, context: Context, subagent: Subagent): Promise<string[]> {
  context.shown.add(subagent.agent_id);
  const head = paintLines(view, 'cyan', [fitWidth(subagentLine(subagent), view.columns)]);
  if (!view.hasSubagents || view.columns < MIN_COLUMNS) return head;
  const threads = await Array.fromAsync(renderThread(beside(view, 2), context, subagent.agent_id));
  const lines = threads.flatMap((thread, at) => (at === 0 ? thread : ['', ...thread]));
  return [...head, ...hang(lines, '┊ ', '┊ ')];
}

function subagentLine(subagent: Subagent): string {
  const { name, description, facts, state } = describeAgent(subagent);
  const parts = [name, state, facts, shortId(subagent.agent_id), description];
  return visibleLine(`⧉ ${parts.filter((part) => part !== '').join(' · ')}`);
}

const MARGIN = '  ';

/** A prompt or a command, below a line with its author and time. */
function renderPrompt(view: View, entry: EntryOf<'prompt' | 'command'>): string[] {
  const inner = beside(view, MARGIN.length);
  const extras = entry.kind === 'prompt' ? extraLines(inner, entry) : [];
  const body = entry.text.trim() === '' ? [] : proseLines(inner, entry.text);
  const branch = entry.branch === null ? [] : [fitWidth(`⑂ ${branchText(entry.branch)}`, view.columns)];
  return [
    ...paintLines(view, 'yellow', branch),
    promptHead(view, entry),
    ...hang([...body, ...paintLines(inner, 'dim', extras)], MARGIN, MARGIN),
  ];
}

function promptHead({ terminal }: View, entry: EntryOf<'prompt' | 'command'>): string {
  const who = paint(terminal, 'cyan', `❯ ${entry.kind === 'prompt' ? entry.speaker : 'You'}`);
  return `${who}${MARGIN}${paint(terminal, 'dim', formatTime(entry.message.timestamp))}`.trimEnd();
}

/** Injected text is named, and printed only on request. */
function extraLines(view: View, { media, injected }: EntryOf<'prompt'>): readonly string[] {
  const named = injected.flatMap(({ label, text }) => {
    const head = `[${visibleLine(label)}]`;
    return view.isFull ? [head, ...proseLines(view, text)] : [head];
  });
  return [...media.map((each) => visibleLine(each.text)), ...named];
}

import type { MessageRow } from '../../api/answers/transcript.ts';
import { dollars } from '../../domain/usage.ts';
import { fitWidth, textWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import { formatCompact, formatCost, formatDuration, plural } from '../../reading/format.ts';
import type { Compaction, Subagent, ToolCall } from '../../api/answers/structure.ts';
import type { Source } from '../source.ts';
import { paint } from '../terminal.ts';
import { entriesOf, type Entry } from './entries.ts';
import { type Branch, branchesByTurn, renderPrompt } from './prompt.ts';
import { readAllParts, readThread } from './read-transcript.ts';
import { beside, hang, paintLines, type View } from './view.ts';
import { renderWork } from './work.ts';

/** What is known of a session beyond its messages. */
interface Surroundings {
  readonly source: Source;
  readonly sessionId: string;
  readonly branches: ReadonlyMap<string, Branch>;
  readonly compactions: ReadonlyMap<string, Compaction>;
  readonly calls: ReadonlyMap<string, ToolCall>;
  readonly subagents: readonly Subagent[];
  /** Sub-agents that were shown: none is shown twice, and none within itself. */
  readonly shown: Set<string>;
}

/** The conversation as lines, entry by entry, sub-agents where they were called. */
export async function* renderTranscript(view: View, source: Source, sessionId: string): AsyncGenerator<string> {
  const around = await readSurroundings(source, sessionId);
  for await (const lines of renderThread(view, around, null)) yield `\n${lines.join('\n')}\n`;
  for (const subagent of around.subagents) {
    if (around.shown.has(subagent.agent_id)) continue;
    yield `\n${(await renderSubagent(view, around, subagent)).join('\n')}\n`;
  }
}

async function readSurroundings(source: Source, sessionId: string): Promise<Surroundings> {
  const [points, compactions, calls, subagents] = await Promise.all([
    readAllParts(source, '/sessions/:id/branches', sessionId),
    readAllParts(source, '/sessions/:id/compactions', sessionId),
    readAllParts(source, '/sessions/:id/tool-calls', sessionId),
    readAllParts(source, '/sessions/:id/subagents', sessionId),
  ]);
  return {
    source,
    sessionId,
    branches: branchesByTurn(points),
    compactions: new Map(compactions.map((compaction) => [compaction.id, compaction])),
    calls: new Map(calls.map((call) => [call.id, call])),
    subagents,
    shown: new Set(),
  };
}

async function* renderThread(view: View, around: Surroundings, agentId: string | null): AsyncGenerator<string[]> {
  const messages = readThread(around.source, around.sessionId, agentId);
  for await (const entry of entriesOf(messages)) {
    const lines = await renderEntry(view, around, entry);
    if (lines.length > 0) yield lines;
  }
}

async function renderEntry(view: View, around: Surroundings, entry: Entry): Promise<string[]> {
  if (entry.kind === 'prompt') return renderPrompt(view, entry.message, around.branches.get(entry.message.id));
  if (entry.kind === 'compaction') return [compactionLine(view, around.compactions.get(entry.message.id))];
  const nested = await renderStarted(view, around, entry.messages);
  return renderWork(view, entry.messages, { calls: around.calls, nested });
}

function compactionLine({ terminal, columns }: View, compaction: Compaction | undefined): string {
  const { pre_tokens = null, post_tokens = null, trigger_name = null, kind } = compaction ?? {};
  const before = pre_tokens === null ? '' : ` from ${formatCompact(pre_tokens)}`;
  const after = post_tokens === null ? '' : ` to ${formatCompact(post_tokens)}`;
  const size = before + after === '' ? '' : `${before}${after} tokens`;
  const how = trigger_name === null ? '' : ` (${visibleLine(trigger_name)})`;
  const text = fitWidth(`── ${kind === 'micro' ? 'shortened' : 'compacted'}${size}${how} `, columns);
  return paint(terminal, 'yellow', text + '─'.repeat(columns - textWidth(text)));
}

/** What a tree takes of the width: its margin and its branches. */
const NESTED_COLUMNS = 5;

async function renderStarted(
  view: View,
  around: Surroundings,
  messages: readonly MessageRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const nested = new Map<string, readonly string[]>();
  const uses = messages.flatMap(({ content_blocks }) => content_blocks.map(({ tool_use_id }) => tool_use_id));
  for (const use of uses.filter((id) => id !== null)) {
    const started = around.subagents.filter(({ spawning_tool_use_id }) => spawning_tool_use_id === use);
    for (const subagent of started.filter(({ agent_id }) => !around.shown.has(agent_id))) {
      const lines = await renderSubagent(beside(view, NESTED_COLUMNS), around, subagent);
      nested.set(use, [...(nested.get(use) ?? []), ...lines]);
    }
  }
  return nested;
}

const MIN_COLUMNS = 24;

/** One line about a sub-agent, and its own conversation below it where that is asked for and there is room. */
async function renderSubagent(view: View, around: Surroundings, subagent: Subagent): Promise<string[]> {
  around.shown.add(subagent.agent_id);
  const head = paintLines(view, 'cyan', [fitWidth(aboutSubagent(subagent), view.columns)]);
  if (!view.hasSubagents || view.columns < MIN_COLUMNS) return head;
  const threads = await Array.fromAsync(renderThread(beside(view, 2), around, subagent.agent_id));
  const lines = threads.flatMap((thread, at) => (at === 0 ? thread : ['', ...thread]));
  return [...head, ...hang(lines, '┊ ', '┊ ')];
}

const ID_CHARS = 8;

function aboutSubagent({ agent_id, agent_type, agent_name, description, stats, cost_nanos }: Subagent): string {
  const name = [agent_type ?? 'sub-agent', agent_name].filter((word) => word !== null).join(' ');
  const facts = [
    name,
    plural(stats.messages, 'message'),
    `${stats.tool_calls} calls`,
    stats.wall_ms === null ? '' : formatDuration(stats.wall_ms),
    cost_nanos === null ? '' : formatCost(dollars(cost_nanos)),
    agent_id.slice(0, ID_CHARS),
    description ?? '',
  ];
  return visibleLine(`⧉ ${facts.filter((fact) => fact !== '').join(' · ')}`);
}

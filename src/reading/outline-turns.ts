import type { Outline } from '../api/outline.ts';
import { commandText, notificationText } from '../domain/client-tags.ts';
import { teammateMessages, withoutTeammateTags } from '../domain/teammate-message.ts';
import type { LevelStats } from '../domain/transcript-structure.ts';
import type { OutlineItem } from './outline.ts';

/** What an outline is made of apart from messages. */
export interface OutlineParts {
  readonly turns: readonly TurnPart[];
  /** The beginnings of prompts, block by block. */
  readonly prompts: readonly { readonly message_id: string; readonly text: string }[];
  readonly branches: readonly BranchPart[];
  readonly compactions: readonly {
    readonly id: string;
    readonly agent_id: string | null;
    readonly kind: string;
    readonly trigger_name: string | null;
    readonly pre_tokens: number | null;
    readonly post_tokens: number | null;
    readonly duration_ms: number | null;
  }[];
  readonly subagents: readonly { readonly agent_id: string; readonly spawning_tool_use_id: string | null }[];
  /** Only calls that did not simply succeed. */
  readonly calls: readonly { readonly id: string; readonly status: string }[];
  readonly commits: readonly { readonly tool_use_id: string | null; readonly timestamp: string }[];
}

interface TurnPart {
  readonly id: string;
  readonly agent_id: string | null;
  readonly origin: string;
  readonly parent_turn_id: string | null;
  readonly duration_ms: number | null;
  readonly stats: LevelStats;
}

interface BranchPart {
  readonly message_id: string | null;
  readonly turn_ids: readonly string[];
  readonly current_turn_id: string;
}

interface TurnSource {
  readonly items: readonly OutlineItem[];
  readonly ordinals: ReadonlyMap<string, number>;
  /** Nano-dollars by turn. */
  readonly turnCosts: ReadonlyMap<string, number>;
  readonly parts: OutlineParts;
  readonly agents: ReadonlyMap<string, number>;
}

export interface Turns {
  readonly columns: Outline['turns'];
  readonly branches: Outline['branches'];
  /** -1 for a message that belongs to no turn. */
  indexOf(turnId: string | null): number;
}

export function readTurns({ items, ordinals, turnCosts, parts, agents }: TurnSource): Turns {
  const { turns } = parts;
  const indices = new Map(turns.map(({ id }, at) => [id, at]));
  const indexOf = rememberLast((id) => (id === null ? -1 : (indices.get(id) ?? -1)));
  const seen = seenInItems(items, turns.length, indexOf);
  const abandoned = findAbandoned(parts, seen.callTurns);
  const commits = countCommits(parts, seen.callTurns);
  const excerpts = Map.groupBy(parts.prompts, ({ message_id }) => message_id);
  const textsOf = ({ id }: TurnPart) => (excerpts.get(id) ?? []).map(({ text }) => text);
  const ordinalOf = ({ id }: TurnPart) => ordinals.get(id) ?? -1;
  const column = <T>(value: (turn: TurnPart, at: number) => T): readonly T[] => turns.map(value);
  const branches = parts.branches.map(({ message_id, turn_ids, current_turn_id }) => ({
    after_ordinal: ordinals.get(message_id ?? '') ?? -1,
    turns: turn_ids.map(indexOf).filter((at) => at >= 0),
    current: indexOf(current_turn_id),
  }));
  return {
    indexOf,
    branches,
    columns: {
      id: column(({ id }) => id),
      ordinal: column(ordinalOf),
      last_ordinal: column((turn, at) => Math.max(ordinalOf(turn), seen.last[at] as number)),
      answer_ordinal: seen.answers,
      agent: column(({ agent_id }) => (agent_id === null ? -1 : (agents.get(agent_id) ?? -1))),
      origin: column(({ origin }) => origin),
      sender: column((turn) => senderOf(turn, textsOf(turn))),
      excerpt: column((turn) => excerptOf(textsOf(turn))),
      cost: column(({ id }) => turnCosts.get(id) ?? null),
      duration_ms: column(({ duration_ms }) => duration_ms),
      active_ms: column(({ stats }) => stats.activeMs),
      tool_calls: column(({ stats }) => stats.toolCalls),
      tool_errors: column(({ stats }) => stats.toolErrors),
      lines_added: column(({ stats }) => stats.linesAdded),
      lines_removed: column(({ stats }) => stats.linesRemoved),
      files_written: column(({ stats }) => stats.filesWritten),
      commits: column((_, at) => commits[at] as number),
      branch: column(({ id }) => (abandoned.has(id) ? 1 : 0)),
      parent: column(({ parent_turn_id }) => indexOf(parent_turn_id)),
      time: column(({ stats }) => (stats.startedAt === null ? null : Date.parse(stats.startedAt))),
      model: seen.models,
    },
  };
}

/** Neighbours are nearly always in the same turn. */
function rememberLast(find: (id: string | null) => number): (id: string | null) => number {
  let last: { readonly id: string | null; readonly index: number } = { id: null, index: -1 };
  return (id) => {
    if (id !== last.id) last = { id, index: find(id) };
    return last.index;
  };
}

/** What the items tell about their turns. */
function seenInItems(items: readonly OutlineItem[], count: number, indexOf: (id: string | null) => number) {
  const last = Array<number>(count).fill(-1);
  const answers = Array<number>(count).fill(-1);
  const models = Array<string | null>(count).fill(null);
  const callTurns = new Map<string, number>();
  for (const { message, kind, callId } of items) {
    const at = indexOf(message.turn_id);
    if (at < 0) continue;
    last[at] = Math.max(last[at] as number, message.ordinal);
    if (message.origin !== 'model') continue;
    models[at] = message.model ?? (models[at] as string | null);
    if (callId !== null) callTurns.set(callId, at);
    // A text that is followed by a call announces it, and is not the final answer.
    if (callId !== null) answers[at] = -1;
    else if (kind === 'answer') answers[at] = message.ordinal;
  }
  return { last, answers, models, callTurns };
}

/** The turns that a rewind left behind, those that follow them, and those of sub-agents they started. */
function findAbandoned(parts: OutlineParts, callTurns: ReadonlyMap<string, number>): ReadonlySet<string> {
  const { turns, branches, subagents } = parts;
  const abandoned = new Set(
    branches.flatMap(({ turn_ids, current_turn_id }) => turn_ids.filter((id) => id !== current_turn_id)),
  );
  if (abandoned.size === 0) return abandoned;
  const starts = new Map(
    subagents.map(({ agent_id, spawning_tool_use_id }) => [agent_id, callTurns.get(spawning_tool_use_id ?? '') ?? -1]),
  );
  const above = new Map(
    turns.map((turn) => [turn.id, turn.parent_turn_id ?? turns[starts.get(turn.agent_id ?? '') ?? -1]?.id ?? null]),
  );
  for (const { id } of turns) markAbove(id, above, abandoned);
  return abandoned;
}

/** Adds a turn and all on the way to the first abandoned turn above it. */
function markAbove(id: string, above: ReadonlyMap<string, string | null>, abandoned: Set<string>): void {
  const way = new Set<string>();
  let at: string | null = id;
  while (at !== null && !abandoned.has(at) && !way.has(at)) {
    way.add(at);
    at = above.get(at) ?? null;
  }
  if (at !== null && abandoned.has(at)) for (const each of way) abandoned.add(each);
}

/** Commits by turn: that of the call that made them, else the last turn of the main conversation that began before. */
function countCommits({ turns, commits }: OutlineParts, callTurns: ReadonlyMap<string, number>): readonly number[] {
  const counts = Array<number>(turns.length).fill(0);
  for (const { tool_use_id, timestamp } of commits) {
    const at =
      callTurns.get(tool_use_id ?? '') ??
      turns.findLastIndex(
        ({ agent_id, stats }) => agent_id === null && stats.startedAt !== null && stats.startedAt <= timestamp,
      );
    if (at >= 0) counts[at] = (counts[at] as number) + 1;
  }
  return counts;
}

/** The first teammate whose words are in the prompt; reports of the client also have a sender. */
function senderOf({ origin }: TurnPart, texts: readonly string[]): string | null {
  if (origin !== 'teammate') return null;
  const messages = teammateMessages(texts.join('\n\n'));
  return (messages.find(({ isProtocol }) => !isProtocol) ?? messages[0])?.sender ?? null;
}

const MAX_EXCERPT_CHARS = 200;

/** The beginning of a prompt as it was typed. */
export function excerptOf(texts: readonly string[]): string {
  const text = withoutTeammateTags(notificationText(commandText(texts.join('\n\n')))).trim();
  // Half a character may be left at the end.
  return text
    .slice(0, MAX_EXCERPT_CHARS)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

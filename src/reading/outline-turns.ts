import type { Outline } from '../api/outline.ts';
import { commandText, notificationText } from '../domain/client-tags.ts';
import type { OutlineParts, TurnPart } from '../domain/outline.ts';
import { teammateMessages, withoutTeammateTags } from '../domain/teammate-message.ts';
import { beginningOf } from './format.ts';
import { NO_FACTS, type OutlineHeads } from './outline-heads.ts';

const NONE = -1;

interface TurnSource {
  readonly heads: OutlineHeads;
  readonly parts: OutlineParts;
  readonly agents: ReadonlyMap<string, number>;
}

export interface Turns {
  readonly columns: Outline['turns'];
  readonly branches: Outline['branches'];
  /** The index of each turn, by its number in the heads; -1 if it is not a turn. */
  readonly numbers: readonly number[];
  /** The turn of each commit; -1 if there is none. */
  readonly commitTurns: readonly number[];
}

export function readTurns({ heads, parts, agents }: TurnSource): Turns {
  const { turns } = parts;
  const indices = new Map(turns.map(({ id }, at) => [id, at]));
  const indexOf = (id: string | null) => (id === null ? NONE : (indices.get(id) ?? NONE));
  const numbers = heads.turns.list.map(indexOf);
  const seen = turns.map(({ id }) => heads.turnFacts[heads.turns.known(id)] ?? NO_FACTS);
  const turnOfCall = (id: string | null) => {
    const item = id === null ? NONE : (heads.itemOf[heads.calls.known(id)] ?? NONE);
    const turn = numbers[heads.columns.turn[item] ?? NONE] ?? NONE;
    return turn < 0 ? undefined : turn;
  };
  const abandoned = findAbandoned(parts, turnOfCall);
  const commitTurns = parts.commits.map((commit) => commitTurn(commit, turns, turnOfCall));
  const excerpts = Map.groupBy(parts.prompts, ({ message_id }) => message_id);
  const textsOf = ({ id }: TurnPart) => (excerpts.get(id) ?? []).map(({ text }) => text);
  const ordinalOf = ({ ordinal }: TurnPart) => ordinal ?? NONE;
  const column = <T>(value: (turn: TurnPart, at: number) => T): readonly T[] => turns.map(value);
  return {
    numbers,
    commitTurns,
    branches: parts.branches.map(({ ordinal, turn_ids, current_turn_id }) => ({
      after_ordinal: ordinal ?? NONE,
      turns: turn_ids.map(indexOf).filter((at) => at >= 0),
      current: indexOf(current_turn_id),
    })),
    columns: {
      id: column(({ id }) => id),
      ordinal: column(ordinalOf),
      last_ordinal: column((turn, at) => Math.max(ordinalOf(turn), seen[at]?.last ?? NONE)),
      answer_ordinal: seen.map(({ answer }) => answer),
      agent: column(({ agent_id }) => (agent_id === null ? NONE : (agents.get(agent_id) ?? NONE))),
      origin: column(({ origin }) => origin),
      sender: column((turn) => senderOf(turn, textsOf(turn))),
      excerpt: column((turn) => excerptOf(textsOf(turn))),
      cost: seen.map(({ nanos }) => nanos),
      duration_ms: column(({ duration_ms }) => duration_ms),
      active_ms: column(({ stats }) => stats.activeMs),
      tool_calls: column(({ stats }) => stats.toolCalls),
      tool_errors: column(({ stats }) => stats.toolErrors),
      lines_added: column(({ stats }) => stats.linesAdded),
      lines_removed: column(({ stats }) => stats.linesRemoved),
      files_written: column(({ stats }) => stats.filesWritten),
      commits: countEach(commitTurns, turns.length),
      branch: column(({ id }) => (abandoned.has(id) ? 1 : 0)),
      parent: column(({ parent_turn_id }) => indexOf(parent_turn_id)),
      time: column(({ stats }) => (stats.startedAt === null ? null : Date.parse(stats.startedAt))),
      model: seen.map(({ model }) => heads.models.list[model] ?? null),
    },
  };
}

type TurnOfCall = (toolUseId: string | null) => number | undefined;

/** The turns abandoned by a rewind, those that follow them, and those of sub-agents they started. */
function findAbandoned({ turns, branches, agents }: OutlineParts, turnOfCall: TurnOfCall): ReadonlySet<string> {
  const abandoned = new Set(
    branches.flatMap(({ turn_ids, current_turn_id }) => turn_ids.filter((id) => id !== current_turn_id)),
  );
  if (abandoned.size === 0) return abandoned;
  const starts = new Map(
    agents.map(({ agent_id, spawning_tool_use_id }) => [agent_id, turnOfCall(spawning_tool_use_id) ?? NONE]),
  );
  const above = new Map(
    turns.map((turn) => [turn.id, turn.parent_turn_id ?? turns[starts.get(turn.agent_id ?? '') ?? NONE]?.id ?? null]),
  );
  for (const { id } of turns) markAbove(id, above, abandoned);
  return abandoned;
}

/** Adds a turn and all turns up to the first abandoned turn above it. */
function markAbove(id: string, above: ReadonlyMap<string, string | null>, abandoned: Set<string>): void {
  const way = new Set<string>();
  let at: string | null = id;
  while (at !== null && !abandoned.has(at) && !way.has(at)) {
    way.add(at);
    at = above.get(at) ?? null;
  }
  if (at !== null && abandoned.has(at)) for (const each of way) abandoned.add(each);
}

/** The turn of the call that made a commit, else the last turn of the main conversation that began before it. */
function commitTurn(
  { tool_use_id, timestamp }: OutlineParts['commits'][number],
  turns: readonly TurnPart[],
  turnOfCall: TurnOfCall,
): number {
  return (
    turnOfCall(tool_use_id) ??
    turns.findLastIndex(
      ({ agent_id, stats }) => agent_id === null && stats.startedAt !== null && stats.startedAt <= timestamp,
    )
  );
}

function countEach(indices: readonly number[], count: number): readonly number[] {
  const counts = Array<number>(count).fill(0);
  for (const at of indices) if (at >= 0) counts[at] = (counts[at] as number) + 1;
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
  return beginningOf(text, MAX_EXCERPT_CHARS);
}

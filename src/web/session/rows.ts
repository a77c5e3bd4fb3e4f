import type { MessageRow } from '../../api/transcript.ts';
import { entriesOf } from '../../reading/entries.ts';
import type { Entry, EntryOf } from '../../reading/entry.ts';
import type { SessionParts, Subagent } from '../../reading/parts.ts';

interface RowBase {
  readonly key: string;
  /** 0 in the main conversation, 1 inside an expanded sub-agent, and so on. */
  readonly depth: number;
  /** Position of the message in which it starts. */
  readonly ordinal: number;
  /** Positions of all messages that it shows, including results and sub-agents. */
  readonly ordinals: readonly number[];
  /** Sub-agents that expand below it. */
  readonly agents: readonly Agent[];
}

/** A row of the virtual list: an entry, or the heading of a sub-agent whose call is unknown. */
export type Row = RowBase &
  ({ readonly kind: 'agent' } | { readonly kind: 'entry'; readonly entry: Exclude<Entry, EntryOf<'empty'>> });

export interface Agent {
  readonly subagent: Subagent;
  readonly messages: readonly MessageRow[];
}

/** A loaded session: its conversations, and how sub-agents relate to them. */
export interface Transcript {
  entriesOf(agentId: string | null): readonly Entry[];
  agentsOf(entry: Entry): readonly Agent[];
  /** Sub-agents that cannot be reached through a call. */
  readonly loose: readonly Agent[];
}

interface Loaded {
  /** All messages of the session, including those of sub-agents. */
  readonly messages: readonly MessageRow[];
  readonly parts: SessionParts;
  readonly cwd: string | null;
}

export function readTranscript({ messages, parts, cwd }: Loaded): Transcript {
  const threads = Map.groupBy(messages, ({ agent_id }) => agent_id);
  const isLinked = linkAgents(messages, parts);
  const entries = new Map<string | null, readonly Entry[]>();
  const known = new Map(parts.subagents.map((subagent) => [subagent.agent_id, subagent]));
  const agentOf = (id: string): Agent => {
    const own = threads.get(id) ?? [];
    return { subagent: known.get(id) ?? unknownAgent(id, own.length), messages: own };
  };
  return {
    entriesOf: (agentId) => {
      const read = entries.get(agentId) ?? entriesOf(threads.get(agentId) ?? [], { parts, cwd });
      entries.set(agentId, read);
      return read;
    },
    agentsOf: (entry) => {
      const started = entry.kind === 'tool' ? entry.call.subagents.map(({ agent_id }) => agent_id) : [];
      return started.filter((id) => threads.has(id) && isLinked(id)).map(agentOf);
    },
    loose: [...threads.keys()].flatMap((id) => (id === null || isLinked(id) ? [] : [agentOf(id)])),
  };
}

/** Whether a sub-agent can be reached from the main conversation through calls. */
function linkAgents(messages: readonly MessageRow[], { subagents }: SessionParts): (agentId: string) => boolean {
  const threadOfCall = new Map<string | null, string | null>();
  for (const { agent_id, content_blocks } of messages)
    for (const { tool_use_id } of content_blocks) if (tool_use_id !== null) threadOfCall.set(tool_use_id, agent_id);
  const parents = new Map(
    subagents.map(({ agent_id, spawning_tool_use_id }) => [agent_id, threadOfCall.get(spawning_tool_use_id)]),
  );
  return (agentId) => {
    const seen = new Set<string>();
    for (let id: string | null | undefined = agentId; id !== null; id = parents.get(id)) {
      if (id === undefined || seen.has(id)) return false;
      seen.add(id);
    }
    return true;
  };
}

function unknownAgent(agent_id: string, messages: number): Subagent {
  const unknown = { spawning_tool_use_id: null, agent_type: null, agent_name: null, description: null };
  return { agent_id, ...unknown, cost_nanos: null, stats: { messages, tool_calls: 0, wall_ms: null } };
}

const MAX_AGENT_DEPTH = 6;

/** The conversation as rows, in order. Rows of a sub-agent exist only while it is expanded. */
export function buildRows(transcript: Transcript, openKeys: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = [];
  const loose = [...transcript.loose];
  for (const row of threadRows(transcript, openKeys, null, 0)) {
    while (loose[0] !== undefined && row.depth === 0 && firstOrdinal(loose[0]) < row.ordinal)
      rows.push(...looseRows(transcript, openKeys, loose.shift() as Agent));
    rows.push(row);
  }
  return [...rows, ...loose.flatMap((agent) => looseRows(transcript, openKeys, agent))];
}

function firstOrdinal({ messages }: Agent): number {
  return messages[0]?.ordinal ?? -1;
}

function looseRows(transcript: Transcript, openKeys: ReadonlySet<string>, agent: Agent): readonly Row[] {
  const id = agent.subagent.agent_id;
  const key = `agent:${id}`;
  const ordinals = agent.messages.map(({ ordinal }) => ordinal);
  const heading: Row = { kind: 'agent', key, depth: 0, ordinal: firstOrdinal(agent), ordinals, agents: [agent] };
  return openKeys.has(key) ? [heading, ...threadRows(transcript, openKeys, id, 1)] : [heading];
}

function threadRows(
  transcript: Transcript,
  openKeys: ReadonlySet<string>,
  agentId: string | null,
  depth: number,
): readonly Row[] {
  return transcript.entriesOf(agentId).flatMap((entry): readonly Row[] => {
    if (entry.kind === 'empty') return [];
    const agents = depth < MAX_AGENT_DEPTH ? transcript.agentsOf(entry) : [];
    const inside = agents.flatMap(({ messages }) => messages.map(({ ordinal }) => ordinal));
    const { key, message, ordinals } = entry;
    const base = { key, depth, ordinal: message.ordinal, ordinals: [...ordinals, ...inside], agents };
    const open = agents.filter(({ subagent }) => openKeys.has(agentKey(key, subagent.agent_id)));
    const below = open.flatMap(({ subagent }) => threadRows(transcript, openKeys, subagent.agent_id, depth + 1));
    return [{ kind: 'entry', ...base, entry }, ...below];
  });
}

/** A row with a call can expand both the call itself and its sub-agents. */
export function agentKey(rowKey: string, agentId: string): string {
  return `${rowKey}/agent:${agentId}`;
}

/** The row that shows a message, preferring the innermost one. */
export function findRow(rows: readonly Row[], ordinal: number): number {
  const exact = rows.findIndex((row) => row.ordinal === ordinal && row.kind !== 'agent');
  return exact >= 0 ? exact : rows.findIndex((row) => row.ordinals.includes(ordinal));
}

/** The key of the collapsed sub-agent that hides a message, if any. */
export function hiddenIn(row: Row, ordinal: number): string | null {
  const agent = row.agents.find(({ messages }) => messages.some((message) => message.ordinal === ordinal));
  if (agent === undefined) return null;
  return row.kind === 'agent' ? row.key : agentKey(row.key, agent.subagent.agent_id);
}

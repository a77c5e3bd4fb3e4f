import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';

export interface Agent {
  readonly id: string;
  readonly messages: readonly MessageRow[];
  /** Whether the call that started it is known; then it stands below that call, else where it begins. */
  readonly isLinked: boolean;
}

interface Agents {
  readonly byId: ReadonlyMap<string, Agent>;
  readonly byCall: ReadonlyMap<string, Agent>;
}

/** Sub-agents of a transcript, each with its messages and, where the result of a call names it, that call. */
export function agentsOf(
  messages: readonly MessageRow[],
  results: ReadonlyMap<string, { readonly block: BlockRow; readonly message: MessageRow }>,
): Agents {
  const grouped = groupByAgent(messages);
  const byId = new Map<string, Agent>();
  const byCall = new Map<string, Agent>();
  for (const [callId, { block, message }] of results) {
    const id = agentIdOf(block);
    const own = id === null || id === message.agent_id || byId.has(id) ? undefined : grouped.get(id);
    if (id === null || own === undefined) continue;
    const agent = { id, messages: own, isLinked: true };
    byId.set(id, agent);
    byCall.set(callId, agent);
  }
  for (const [id, own] of grouped) {
    if (!byId.has(id)) byId.set(id, { id, messages: own, isLinked: false });
  }
  return { byId, byCall };
}

function groupByAgent(messages: readonly MessageRow[]): Map<string, MessageRow[]> {
  const grouped = new Map<string, MessageRow[]>();
  for (const message of messages) {
    if (message.agent_id === null) continue;
    const own = grouped.get(message.agent_id);
    if (own === undefined) grouped.set(message.agent_id, [message]);
    else own.push(message);
  }
  return grouped;
}

const NAMED_IN_RESULT = /\bagent_?id:\s*([\w-]{4,80})/i;
const MAX_RESULT_CHARS_SEARCHED = 20_000;

function agentIdOf(result: BlockRow): string | null {
  const stated = result.metadata['agentId'] ?? result.metadata['agent_id'];
  if (typeof stated === 'string') return stated;
  const text = result.result_text ?? '';
  // The line with the id stands at the end of an answer, or at the start of "launched".
  const searched = text.length > MAX_RESULT_CHARS_SEARCHED ? text.slice(-MAX_RESULT_CHARS_SEARCHED) : text;
  return NAMED_IN_RESULT.exec(searched)?.[1] ?? null;
}

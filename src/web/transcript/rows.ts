import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { kindOf } from '../../reading/message-kind.ts';
import { agentsOf, type Agent } from './agents.ts';

interface RowBase {
  readonly key: string;
  /** 0 in the main conversation, 1 inside an opened sub-agent, and so on. */
  readonly depth: number;
  /** Every message that this row shows, also the one that brought a tool's result. */
  readonly ordinals: readonly number[];
  readonly message: MessageRow;
}

/** One line of the virtual list. A message of the model becomes one row for each of its blocks. */
export type Row = RowBase &
  (
    | { readonly kind: 'prompt' }
    | { readonly kind: 'command' }
    | { readonly kind: 'text'; readonly block: BlockRow; readonly hasByline: boolean }
    | { readonly kind: 'thinking'; readonly block: BlockRow }
    | {
        readonly kind: 'tool';
        readonly block: BlockRow;
        readonly result: BlockRow | null;
        readonly agent: Agent | null;
      }
    | { readonly kind: 'orphan'; readonly block: BlockRow }
    | { readonly kind: 'media'; readonly block: BlockRow }
    | { readonly kind: 'notice' }
    | { readonly kind: 'compaction' }
    | { readonly kind: 'summary' }
    | { readonly kind: 'context'; readonly messages: readonly MessageRow[] }
    | { readonly kind: 'agent'; readonly agent: Agent }
  );
export type RowKind = Row['kind'];

const MAX_AGENT_DEPTH = 6;

interface Result {
  readonly block: BlockRow;
  readonly message: MessageRow;
}

interface BuildState {
  readonly rows: Row[];
  readonly results: ReadonlyMap<string, Result>;
  readonly calls: ReadonlySet<string>;
  readonly agents: ReturnType<typeof agentsOf>;
  readonly openKeys: ReadonlySet<string>;
}

/** The conversation as rows, in order. Rows of a sub-agent are there only while it is open. */
export function buildRows(messages: readonly MessageRow[], openKeys: ReadonlySet<string>): readonly Row[] {
  const { results, calls } = indexTools(messages);
  const state: BuildState = { rows: [], results, calls, agents: agentsOf(messages, results), openKeys };
  const shown = new Set<string>();
  for (const message of messages) {
    const agent = message.agent_id === null ? null : (state.agents.byId.get(message.agent_id) ?? null);
    if (agent === null) addMessage(state, message, 0);
    else if (!agent.isLinked && !shown.has(agent.id)) {
      shown.add(agent.id);
      addAgentHeading(state, agent);
    }
  }
  return state.rows;
}

function indexTools(messages: readonly MessageRow[]) {
  const results = new Map<string, Result>();
  const calls = new Set<string>();
  for (const message of messages) {
    for (const block of message.content_blocks) {
      if (block.tool_use_id !== null) calls.add(block.tool_use_id);
      // A call that was cut off can get a stand-in first and its real result later: the last one counts.
      if (block.tool_result_id !== null) results.set(block.tool_result_id, { block, message });
    }
  }
  return { results, calls };
}

function addAgentHeading(state: BuildState, agent: Agent): void {
  const key = `agent:${agent.id}`;
  const message = agent.messages[0] as MessageRow;
  const ordinals = agent.messages.map((each) => each.ordinal);
  state.rows.push({ kind: 'agent', key, depth: 0, ordinals, message, agent });
  if (state.openKeys.has(key)) addAgentRows(state, agent, 1);
}

function addAgentRows(state: BuildState, agent: Agent, depth: number): void {
  if (depth > MAX_AGENT_DEPTH) return;
  for (const message of agent.messages) addMessage(state, message, depth);
}

function addMessage(state: BuildState, message: MessageRow, depth: number): void {
  const base = { key: message.id, depth, ordinals: [message.ordinal], message };
  const kind = kindOf(message);
  if (kind === 'blocks') addBlocks(state, message, depth);
  else if (kind === 'context') addContext(state, message, depth);
  else if (!replaceRetry(state.rows, message)) state.rows.push({ kind, ...base });
}

/** Runs of injected messages are one muted row. */
function addContext(state: BuildState, message: MessageRow, depth: number): void {
  const last = state.rows.at(-1);
  if (last?.kind !== 'context' || last.depth !== depth) {
    state.rows.push({
      kind: 'context',
      key: message.id,
      depth,
      ordinals: [message.ordinal],
      message,
      messages: [message],
    });
    return;
  }
  const messages = [...last.messages, message];
  state.rows[state.rows.length - 1] = { ...last, messages, ordinals: [...last.ordinals, message.ordinal] };
}

function addBlocks(state: BuildState, message: MessageRow, depth: number): void {
  for (const block of message.content_blocks) {
    const base = { key: `${message.id}:${block.block_order}`, depth, ordinals: [message.ordinal], message, block };
    switch (block.block_type) {
      case 'text':
        if ((block.content_text ?? '').trim() === '') break;
        state.rows.push({ kind: 'text', hasByline: isNewSpeaker(state.rows, message, depth), ...base });
        break;
      case 'thinking':
      case 'redacted_thinking':
        state.rows.push({ kind: 'thinking', ...base });
        break;
      case 'tool_use':
      case 'server_tool_use':
        addTool(state, base);
        break;
      case 'tool_result':
      case 'server_tool_result':
        if (!state.calls.has(block.tool_result_id ?? '')) state.rows.push({ kind: 'orphan', ...base });
        break;
      default:
        state.rows.push({ kind: 'media', ...base });
    }
  }
}

/** Whether the reader has to be told who speaks: after a prompt, in another thread, or when the model changed. */
function isNewSpeaker(rows: readonly Row[], message: MessageRow, depth: number): boolean {
  const before = rows.findLast((row) => row.kind === 'prompt' || row.kind === 'text' || row.kind === 'compaction');
  return before?.kind !== 'text' || before.depth !== depth || before.message.model !== message.model;
}

/** The API is asked again and again while it fails: of such a run only the last error is a row. */
function replaceRetry(rows: Row[], message: MessageRow): boolean {
  const last = rows.at(-1);
  if (message.subtype !== 'api_error' || last?.message.subtype !== 'api_error') return false;
  rows[rows.length - 1] = { ...last, message, ordinals: [...last.ordinals, message.ordinal] };
  return true;
}

function addTool(state: BuildState, base: RowBase & { readonly block: BlockRow }): void {
  const id = base.block.tool_use_id ?? '';
  const result = state.results.get(id) ?? null;
  const agent = state.agents.byCall.get(id) ?? null;
  const ordinals = result === null ? base.ordinals : [...base.ordinals, result.message.ordinal];
  const agentOrdinals = agent?.messages.map((message) => message.ordinal) ?? [];
  state.rows.push({
    kind: 'tool',
    ...base,
    ordinals: [...ordinals, ...agentOrdinals],
    result: result?.block ?? null,
    agent,
  });
  if (agent !== null && state.openKeys.has(agentKey(base.key))) addAgentRows(state, agent, base.depth + 1);
}

/** A tool row has two things to open: the call itself and the sub-agent's conversation. */
export function agentKey(rowKey: string): string {
  return `${rowKey}/agent`;
}

/** The row that shows a message, preferring the innermost one. */
export function findRow(rows: readonly Row[], ordinal: number): number {
  const exact = rows.findIndex((row) => row.message.ordinal === ordinal && row.kind !== 'agent');
  return exact >= 0 ? exact : rows.findIndex((row) => row.ordinals.includes(ordinal));
}

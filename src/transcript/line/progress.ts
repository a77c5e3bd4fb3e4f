import type { JsonObject } from '../../domain/transcript.ts';
import { noteEcho } from '../assemble/echoes.ts';
import { threadOfAgent } from '../create-state.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asObject, asText } from '../read/json.ts';
import type { ThreadDraft } from '../state.ts';
import { readAssistantLine } from './assistant.ts';
import { createContext, type LineContext } from './context.ts';
import { readUserLine } from './user.ts';

/** A progress line (2.1.7 to 2.1.81): a link of the uuid chain, and for agents an echo of their messages. */
export function readProgressLine(context: LineContext): void {
  if (placeLine(context, NODE_KINDS.progress).isCopy) return;
  const data = asObject(context.record['data']);
  const kind = asText(data?.['type']);
  if (data === null || kind === null) return;
  if (kind === 'agent_progress') readAgentProgress(context, data);
}

/** Where the agent has a file of its own the echo adds nothing; where that is missing, it is the only record. */
function readAgentProgress(context: LineContext, data: JsonObject): void {
  const { state, record } = context;
  const agentId = asText(data['agentId']);
  if (agentId === null || agentId === '') return;
  const index = threadOfAgent(state, agentId, 'progress');
  const thread = state.threads[index] as ThreadDraft;
  thread.toolUseId ??= asText(record['parentToolUseID']);
  const echo = asObject(data['message']);
  if (echo === null) return;
  const inner = createContext({ ...context, record: { ...echo, isSidechain: true, parentUuid: null }, thread: index });
  if (thread.source === 'file') {
    if (inner.message !== null) noteEcho(inner, inner.message);
    return;
  }
  if (echo['type'] === 'assistant') readAssistantLine(inner);
  else if (echo['type'] === 'user') readUserLine(inner);
}

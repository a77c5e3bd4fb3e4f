import type { JsonObject } from '../../domain/transcript.ts';
import { createDraft } from '../assemble/messages.ts';
import { fullerUsage, readUsage } from '../assemble/usage.ts';
import { threadOfAgent } from '../create-state.ts';
import { placeLine, positionId } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asObject, asText } from '../read/json.ts';
import type { MessageDraft, SessionState, ThreadDraft } from '../state.ts';
import { readAssistantLine } from './assistant.ts';
import { createContext, type LineContext } from './context.ts';
import { readUserLine } from './user.ts';

/** A progress line (2.1.7 to 2.1.81): a link of the uuid chain and, for agents, an echo of their messages. */
export function readProgressLine(context: LineContext): void {
  if (placeLine(context, NODE_KINDS.progress).isCopy) return;
  const data = asObject(context.record['data']);
  const kind = asText(data?.['type']);
  if (data === null || kind === null) return;
  if (kind === 'agent_progress') readAgentProgress(context, data);
}

/** If the agent has its own file, only the usage of the echo is kept; otherwise the echo is the only record. */
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

/**
 * Progress lines echo the messages of agents. If the agent has its own file, that file is the record; the usage of the
 * echo is kept in case the file was truncated and lacks the message.
 */
export function noteEcho(context: LineContext, message: JsonObject): void {
  const { state, record } = context;
  const apiMessageId = asText(message['id']);
  const usage = readUsage(message['usage'])?.usage ?? null;
  if (apiMessageId === null || usage === null) return;
  const known = state.echoes.get(apiMessageId);
  if (known !== undefined) {
    known.usage = fullerUsage(known.usage, usage);
    return;
  }
  const requestId = asText(record['requestId']);
  const about = { messageType: 'assistant', role: 'assistant', origin: 'model', apiMessageId, requestId } as const;
  const draft = createDraft(context, positionId(context), about);
  draft.model = asText(message['model']);
  draft.usage = usage;
  state.echoes.set(apiMessageId, draft);
}

/** Echoes without any other record become messages without blocks; from other echoes only a fuller usage counts. */
export function settleEchoes(state: SessionState): void {
  for (const [id, echo] of state.echoes) {
    const known = state.apiMessages.get(id);
    if (known === undefined) {
      state.apiMessages.set(id, [state.messages.length]);
      state.messages.push(echo);
      continue;
    }
    const originals = known.map((index) => state.messages[index] as MessageDraft).filter((draft) => draft.replayOf < 0);
    const original = originals.find((draft) => draft.requestId === echo.requestId);
    if (original !== undefined && original !== echo && echo.usage !== null) {
      original.usage = fullerUsage(echo.usage, original.usage);
    }
  }
}

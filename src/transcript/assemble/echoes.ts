import type { JsonObject } from '../../domain/transcript.ts';
import { positionId } from '../graph/place-line.ts';
import type { LineContext } from '../line/context.ts';
import { asText } from '../read/json.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import { createDraft } from './messages.ts';
import { fullerUsage, readUsage } from './usage.ts';

/**
 * Progress lines echo the messages of agents. Where the agent has a file of its own, that is the record; the usage of
 * the echo is kept in case that the file was cut short and lacks the message.
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

/** Echoes that nothing else tells of become messages, without blocks; of others only a fuller usage counts. */
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

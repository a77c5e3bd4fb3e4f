import type { TranscriptMessage } from '../../domain/transcript.ts';
import type { Usage } from '../../domain/usage.ts';
import { isProvenTooLow } from '../assemble/usage.ts';
import type { CompactionView } from '../graph/compactions.ts';
import type { MessageGraph } from '../graph/place-line.ts';
import type { MessageDraft, SessionState, ThreadDraft } from '../state.ts';

export type PriceUsage = (
  model: string,
  usage: Usage,
  at: string | null,
) => { readonly costNanos: number; readonly rateId: string } | null;

export interface FinishedMessages {
  readonly messages: readonly TranscriptMessage[];
  /** By draft index; null for a withdrawn draft. */
  readonly byDraft: readonly (TranscriptMessage | null)[];
}

export function finishMessages(
  state: SessionState,
  graph: MessageGraph,
  compactions: CompactionView,
  price: PriceUsage | null,
): FinishedMessages {
  const keys = usageKeys(state);
  const messages: TranscriptMessage[] = [];
  const byDraft = state.messages.map((draft, index) => {
    if (draft.isWithdrawn) return null;
    const place = {
      ordinal: messages.length,
      usageKey: keys.get(index) ?? null,
      compactSequence: compactions.sequence[index] as number,
      isCompacted: compactions.isCompacted[index] === 1,
      parentMessageId: idAt(state, graph.parent[index] as number),
      turnId: idAt(state, graph.turn[index] as number),
    };
    const message = finishMessage(state, draft, place, priced(draft, price));
    messages.push(message);
    return message;
  });
  return { messages, byDraft };
}

type Place = Pick<
  TranscriptMessage,
  'ordinal' | 'usageKey' | 'compactSequence' | 'isCompacted' | 'parentMessageId' | 'turnId'
>;
type Price = Pick<TranscriptMessage, 'costNanos' | 'rateId'>;

function finishMessage(state: SessionState, draft: MessageDraft, place: Place, price: Price): TranscriptMessage {
  return {
    id: draft.id,
    ordinal: place.ordinal,
    agentId: (state.threads[draft.thread] as ThreadDraft).agentId,
    messageType: draft.messageType,
    subtype: draft.subtype,
    role: draft.role,
    origin: draft.origin,
    lines: draft.lines,
    uuid: draft.uuid,
    parentUuid: draft.parentUuid,
    lastUuid: draft.lastUuid,
    apiMessageId: draft.apiMessageId,
    requestId: draft.requestId,
    model: draft.model,
    stopReason: draft.stopReason,
    usage: draft.replayOf >= 0 ? null : draft.usage,
    usageKey: place.usageKey,
    costNanos: price.costNanos,
    rateId: price.rateId,
    timestamp: draft.timestamp,
    compactSequence: place.compactSequence,
    isCompacted: place.isCompacted,
    isSidechain: draft.isSidechain,
    isMeta: draft.isMeta,
    isInherited: draft.isInherited,
    copiedFrom: draft.copiedFrom,
    gitBranch: draft.gitBranch,
    parentMessageId: place.parentMessageId,
    turnId: place.turnId,
    hasText: draft.hasText,
    hasThinking: draft.hasThinking,
    hasToolUse: draft.hasToolUse,
    hasToolResult: draft.hasToolResult,
    version: draft.version,
    entrypoint: draft.entrypoint,
    userType: draft.userType,
    teamName: draft.teamName,
    permissionMode: draft.permissionMode,
    iterations: draft.iterations,
    cacheMiss: draft.cacheMiss,
    metadata: isProvenTooLow(draft) ? { ...draft.metadata, undercounted: true } : draft.metadata,
  };
}

function priced(draft: MessageDraft, price: PriceUsage | null): Price {
  if (price === null || draft.usage === null || draft.model === null || draft.replayOf >= 0) return NO_PRICE;
  return price(draft.model, draft.usage, draft.timestamp) ?? NO_PRICE;
}

const NO_PRICE: Price = { costNanos: null, rateId: null };

function idAt(state: SessionState, index: number): string | null {
  const draft = index < 0 ? undefined : state.messages[index];
  return draft === undefined || draft.isWithdrawn ? null : draft.id;
}

/**
 * One key per counted API message: its id. If an id was used for several requests, later ones include the request id.
 */
function usageKeys(state: SessionState): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  for (const [id, indexes] of state.apiMessages) {
    const counted = indexes.filter((index) => isCounted(state, index));
    for (const [place, index] of counted.entries()) {
      keys.set(index, place === 0 ? id : `${id}:${state.messages[index]?.requestId ?? place}`);
    }
  }
  for (const [index, draft] of state.messages.entries()) {
    if (draft.usage !== null && draft.apiMessageId === null)
      keys.set(index, draft.uuid ?? `line:${state.sessionId}:${draft.id}`);
  }
  return keys;
}

function isCounted(state: SessionState, index: number): boolean {
  const draft = state.messages[index] as MessageDraft;
  return draft.replayOf < 0 && draft.usage !== null;
}

import { isTyped } from '../../domain/text-origin.ts';
import type { TranscriptMessage } from '../../domain/transcript.ts';
import { FAILED, type LevelStats, type ToolCall } from '../../domain/transcript-structure.ts';
import { addSafely, addTokens, type GrowingTokens, NO_TOKENS } from '../../domain/usage.ts';
import { earlierTime, laterTime, millisBetween } from '../assemble/timestamp.ts';

/** Additive figures; messages and calls are added one by one, the same way on every level. */
export interface Tally {
  messages: number;
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolErrors: number;
  thinkingBlocks: number;
  readonly tokens: GrowingTokens;
  costNanos: number | null;
  unpricedMessages: number;
  linesAdded: number;
  linesRemoved: number;
  startedAt: string | null;
  endedAt: string | null;
  /** Time of the last prompt, answer or result; the client's own notes may come much later. */
  workedUntil: string | null;
  readonly filesRead: Set<string>;
  readonly filesWritten: Set<string>;
}

interface CountedMessage {
  readonly message: TranscriptMessage;
  readonly lastTimestamp: string | null;
  readonly thinkingBlocks: number;
  readonly isReplay: boolean;
}

export function createTally(): Tally {
  return {
    messages: 0,
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    toolErrors: 0,
    thinkingBlocks: 0,
    tokens: { ...NO_TOKENS },
    costNanos: null,
    unpricedMessages: 0,
    linesAdded: 0,
    linesRemoved: 0,
    startedAt: null,
    endedAt: null,
    workedUntil: null,
    filesRead: new Set(),
    filesWritten: new Set(),
  };
}

/** A person's words on the main thread. */
function isPersonal(message: TranscriptMessage): boolean {
  return message.agentId === null && isTyped(message.origin);
}

export function tallyMessage(tally: Tally, { message, lastTimestamp, thinkingBlocks, isReplay }: CountedMessage): void {
  if (message.messageType !== 'attachment' || message.origin !== 'context') tally.messages += 1;
  if (isPersonal(message)) tally.userMessages += 1;
  const endedAt = laterTime(message.timestamp, lastTimestamp);
  tally.startedAt = earlierTime(tally.startedAt, message.timestamp);
  tally.endedAt = laterTime(tally.endedAt, endedAt);
  if (message.origin !== 'system' && message.origin !== 'context') {
    tally.workedUntil = laterTime(tally.workedUntil, endedAt);
  }
  if (isReplay || message.origin !== 'model') return;
  tally.assistantMessages += 1;
  tally.thinkingBlocks += thinkingBlocks;
  if (message.usage === null) return;
  addTokens(tally.tokens, message.usage);
  if (message.costNanos === null) tally.unpricedMessages += 1;
  else tally.costNanos = addSafely(tally.costNanos ?? 0, message.costNanos);
}

export function tallyCall(tally: Tally, call: ToolCall): void {
  if (call.messageId === null) return;
  tally.toolCalls += 1;
  if (call.status === FAILED) tally.toolErrors += 1;
  for (const file of call.files) {
    (file.action === 'read' ? tally.filesRead : tally.filesWritten).add(file.path);
    tally.linesAdded += file.linesAdded;
    tally.linesRemoved += file.linesRemoved;
  }
}

/** `activeMs` never exceeds the time from the first to the last message. */
export function finishTally(tally: Tally, activeMs: number | null): LevelStats {
  const { filesRead, filesWritten, workedUntil: _, ...figures } = tally;
  const wallMs = millisBetween(tally.startedAt, tally.endedAt);
  return {
    ...figures,
    filesRead: filesRead.size,
    filesWritten: filesWritten.size,
    wallMs,
    activeMs: activeMs === null || wallMs === null ? null : Math.min(activeMs, wallMs),
  };
}

import type { FileTouch, GitOperation, ToolCall, ToolStatus, TouchedFile } from '../../domain/transcript-structure.ts';
import { millisBetween } from '../assemble/timestamp.ts';
import type { SessionState, ToolCallDraft } from '../state.ts';
import { waitingMs } from '../tool/verdict.ts';
import type { FinishedMessages } from './finish-messages.ts';

export function finishToolCalls(state: SessionState, { byDraft }: FinishedMessages): readonly ToolCall[] {
  return [...state.toolCalls.values()].map((call) => {
    const message = byDraft[call.message] ?? null;
    const result = byDraft[call.resultMessage] ?? null;
    const { outcome } = call;
    const status = statusOf(call);
    return {
      id: call.id,
      name: call.name,
      agentId: state.threads[call.thread]?.agentId ?? null,
      messageId: message?.id ?? null,
      resultMessageId: result?.id ?? null,
      turnId: message?.turnId ?? result?.turnId ?? null,
      resultCount: call.results,
      status,
      denial: call.denial,
      exitCode: outcome?.exitCode ?? null,
      ...durationOf(call),
      startedAt: call.startedAt,
      endedAt: call.endedAt,
      files: status === 'ok' ? filesOf(call) : [],
      isInherited: isInherited(state, call),
      spawnedAgentId: outcome?.agent?.agentId ?? call.agentInText,
      caller: call.caller,
      persistedOutput: outcome?.persistedOutput ?? null,
      details: outcome?.details ?? {},
    };
  });
}

/** A call belongs to the message that made it; a result without a call, to the message that received it. */
function isInherited({ messages }: SessionState, { message, resultMessage }: ToolCallDraft): boolean {
  return messages[message >= 0 ? message : resultMessage]?.isInherited === true;
}

function statusOf(call: ToolCallDraft): ToolStatus {
  if (call.results === 0) return 'pending';
  if (call.denial !== null) return 'denied';
  if (call.isStopped || call.outcome?.isInterrupted === true) return 'interrupted';
  if (call.isError) return 'error';
  return call.outcome?.isBackground === true ? 'background' : 'ok';
}

function durationOf(call: ToolCallDraft): Pick<ToolCall, 'durationMs' | 'durationSource' | 'waitingMs'> {
  const told = call.outcome?.durationMs ?? null;
  const reportedMs = told !== null && told >= 0 ? told : null;
  const betweenMs = millisBetween(call.startedAt, call.endedAt);
  const waited = betweenMs === null ? null : waitingMs(call.name, betweenMs, { reportedMs, timeoutMs: call.timeoutMs });
  if (reportedMs !== null) return { durationMs: reportedMs, durationSource: 'reported', waitingMs: waited };
  if (betweenMs === null) return { durationMs: null, durationSource: null, waitingMs: null };
  return { durationMs: betweenMs - (waited ?? 0), durationSource: 'derived', waitingMs: waited };
}

function filesOf(call: ToolCallDraft): readonly FileTouch[] {
  const told = call.outcome?.files ?? [];
  return told.length > 0 ? told : call.inputFiles;
}

/** Sums up each file over all calls of this session itself, in the order of first touch. */
export function sumTouchedFiles(calls: readonly ToolCall[]): readonly TouchedFile[] {
  const files = new Map<string, { -readonly [K in keyof TouchedFile]: TouchedFile[K] }>();
  for (const touch of calls.flatMap((call) => (call.isInherited ? [] : call.files))) {
    const known = files.get(touch.path) ?? { path: touch.path, reads: 0, writes: 0, linesAdded: 0, linesRemoved: 0 };
    if (touch.action === 'read') known.reads += 1;
    else known.writes += 1;
    known.linesAdded += touch.linesAdded;
    known.linesRemoved += touch.linesRemoved;
    files.set(touch.path, known);
  }
  return [...files.values()];
}

export function listGitOperations(state: SessionState): readonly GitOperation[] {
  return [...state.toolCalls.values()].flatMap((call) =>
    (isInherited(state, call) ? [] : (call.outcome?.git ?? [])).map((operation) => ({
      toolUseId: call.id,
      ...operation,
    })),
  );
}

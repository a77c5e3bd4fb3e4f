import type { MessageRow } from '../../../api/transcript.ts';
import { formatCost, formatCount, formatDuration, formatExact } from '../../../reading/format.ts';
import type { ToolCall } from '../../../reading/tool-call.ts';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Figures of a message and of a call in it; only those that are known. */
export function factsOf(message: MessageRow, call: ToolCall | null): readonly Fact[] {
  const context = contextOf(message);
  return given([
    ['Time', message.timestamp === null ? null : formatExact(message.timestamp)],
    ['Model', message.model],
    ['Cost', message.cost_usd === null ? null : formatCost(message.cost_usd)],
    ['Context', context === null ? null : `${formatCount(context)} tokens`],
    ['Input', tokens(message.tokens_in)],
    ['Read from cache', tokens(message.cache_read)],
    ['Written to cache', tokens(message.cache_write)],
    ['Output', tokens(message.tokens_out)],
    ['Thinking', tokens(message.thinking_tokens)],
    ['Stop reason', message.stop_reason],
    ['Speed', message.speed],
    ['Permissions', message.permission_mode],
    ...callFacts(call),
    ['Claude Code', message.cc_version],
    ['Line', formatCount(message.line_number)],
  ]);
}

/** Everything that the model had to read for this answer. */
function contextOf({ tokens_in, cache_read, cache_write }: MessageRow): number | null {
  if (tokens_in === null && cache_read === null && cache_write === null) return null;
  return (tokens_in ?? 0) + (cache_read ?? 0) + (cache_write ?? 0);
}

type Named = readonly [name: string, value: string | null];

function callFacts(call: ToolCall | null): readonly Named[] {
  if (call === null) return [];
  const { status, exitCode, durationMs, waitingMs } = call.outcome;
  const { started_at = null, ended_at = null } = call.facts ?? {};
  return [
    ['Tool', call.name],
    ['Outcome', call.outcome.text === '' ? status : call.outcome.text],
    ['Exit code', exitCode === null ? null : String(exitCode)],
    ['Duration', durationMs === null ? null : exactDuration(durationMs)],
    ['Waited for permission', waitingMs === null || waitingMs === 0 ? null : exactDuration(waitingMs)],
    ['Started', started_at === null ? null : formatExact(started_at)],
    ['Ended', ended_at === null ? null : formatExact(ended_at)],
  ];
}

const LONG_MS = 60_000;

function exactDuration(ms: number): string {
  return ms < LONG_MS ? `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s` : formatDuration(ms);
}

function tokens(count: number | null): string | null {
  return count === null || count === 0 ? null : `${formatCount(count)} tokens`;
}

/** Ids that other tools and the API use. */
export function idsOf(sessionId: string, message: MessageRow, call: ToolCall | null): readonly Fact[] {
  return given([
    ['Session', sessionId],
    ['Message', message.id],
    ['UUID', message.uuid === message.id ? null : message.uuid],
    ['Parent', message.parent_uuid],
    ['Sub-agent', message.agent_id],
    ['Call', call?.id ?? null],
    ['Started agent', call?.facts?.spawned_agent_id ?? null],
  ]);
}

function given(facts: readonly Named[]): readonly Fact[] {
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [{ name, value }]));
}

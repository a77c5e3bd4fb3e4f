import type { BlockRow, MessageRow } from '../api/transcript.ts';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { summarizeInput } from './call-summary.ts';
import { type Diff, diffEdits, diffPatch, formatChange } from './diff.ts';
import { formatDuration, plural } from './format.ts';
import { type Media, resultMedia } from './media.ts';
import type { CallFacts, Subagent } from './parts.ts';
import { errorText, withoutNoticeTag } from './tool-output.ts';
import { editsOf, inputField, type ToolView, toolView, wholeText } from './tool-view.ts';

/** A tool call with everything known about it. */
export interface ToolCall {
  readonly id: string;
  readonly toolName: string | null;
  /** The displayed name: `server · tool` for a tool of an MCP server. */
  readonly name: string;
  readonly input: JsonValue | null;
  /** Working directory of the session: paths inside it are shown relative to it. */
  readonly cwd: string | null;
  /** The subject of the call in one line. */
  readonly about: string;
  readonly outcome: Outcome;
  readonly result: ToolResult | null;
  /** Sub-agents started by the call. */
  readonly subagents: readonly Subagent[];
  /** Times, files, the reported patch and the error output; null if the store knows nothing about the call. */
  readonly facts: BlockRow['call'];
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The store has more of this text. */
  readonly isCut: boolean;
  readonly media: readonly Media[];
  /** The message that contains it. */
  readonly messageId: string;
}

/** A block with a result, and the message that it is part of. */
export interface FoundResult {
  readonly block: BlockRow;
  readonly message: Pick<MessageRow, 'id' | 'ordinal'>;
}

export interface Outcome {
  readonly isError: boolean;
  /** `exit 1`, `denied by the user`, `no result`; empty for a successful call. */
  readonly text: string;
  /** `ok`, `error`, `denied`, `interrupted`, `background` or `pending`. */
  readonly status: string;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** Time until the call was allowed. */
  readonly waitingMs: number | null;
}

interface CallSource {
  readonly use: BlockRow;
  readonly result: FoundResult | null;
  readonly facts: CallFacts | undefined;
  readonly subagents: readonly Subagent[];
  /** Working directory of the session: paths inside it are shown relative to it. */
  readonly cwd: string | null;
}

export function toolCall({ use, result, facts, subagents, cwd }: CallSource): ToolCall {
  const { tool_use_id, tool_name, tool_input } = use;
  return {
    id: tool_use_id ?? '',
    toolName: tool_name,
    name: showToolName(tool_name),
    input: tool_input,
    cwd,
    about: aboutOf(use, cwd),
    outcome: outcomeOf(use, result?.block ?? null, facts ?? use.call ?? undefined),
    result: result === null ? null : toolResult(result),
    subagents,
    facts: use.call,
  };
}

/** The subject of a call. An update names a task only by its number. */
function aboutOf({ tool_name, tool_input, call }: BlockRow, cwd: string | null): string {
  const subject = tool_name === 'TaskUpdate' ? inputField(call?.details['formerTask'], 'text') : null;
  const input = subject === null ? tool_input : { subject, ...(tool_input as JsonObject) };
  return summarizeInput(tool_name, input, cwd);
}

export function toolResult({ block, message }: FoundResult): ToolResult {
  const { result_text, content_text, is_error, metadata } = block;
  return {
    text: withoutNoticeTag(result_text ?? content_text ?? loadedTools(metadata['parts'])),
    isError: is_error === true,
    isCut: metadata['truncated'] === true,
    media: resultMedia(message, block),
    messageId: message.id,
  };
}

/** References to tools have no text of their own. */
function loadedTools(parts: JsonValue | undefined): string {
  const count = Array.isArray(parts) ? parts.filter((part) => part === 'tool_reference').length : 0;
  return count === 0 ? '' : `${plural(count, 'tool')} loaded`;
}

const views = new WeakMap<ToolCall, ToolView>();

/** The view of a call. Computed lazily and once, because diffs take time. */
export function viewOf(call: ToolCall): ToolView {
  const known = views.get(call);
  if (known !== undefined) return known;
  const view = toolView(call);
  views.set(call, view);
  return view;
}

const diffs = new WeakMap<ToolCall, Diff>();

/** The change made by a call; null for a call that failed or changes nothing. */
export function diffOf(call: ToolCall): Diff | null {
  const known = diffs.get(call);
  if (known !== undefined) return known;
  const patch = call.facts?.patch ?? [];
  const edits = call.outcome.isError ? [] : editsOf(call.input);
  if (edits.length === 0) return null;
  const diff = patch.length > 0 ? diffPatch(patch) : diffEdits(edits);
  diffs.set(call, diff);
  return diff;
}

/** The text of a file that a call wrote as a whole; null if it is a change of an existing file. */
export function writtenText(call: ToolCall): string | null {
  const isChange = call.outcome.isError || (call.facts?.patch ?? []).length > 0;
  return isChange ? null : wholeText(call.input);
}

/** `new file`, `edited by the user`; empty for an ordinary change. */
export function changeNote(call: ToolCall): string {
  if (call.facts?.details['userModified'] === true) return 'edited by the user';
  const isFile = inputField(call.input, 'file_path') !== null;
  return isFile && writtenText(call) !== null && call.facts?.files[0]?.action !== 'edit' ? 'new file' : '';
}

/** Durations below this are not shown. */
const SLOW_MS = 2_000;

/** The outcome and duration of a call if they are notable: `exit 1 · 3m`. */
export function outcomeText(call: ToolCall): string {
  const { outcome, duration } = outcomeParts(call);
  return [outcome, duration].filter((part) => part !== '').join(' · ');
}

/** Each is empty if it is not notable. */
export function outcomeParts({ outcome: { text, durationMs } }: ToolCall) {
  const duration = durationMs !== null && durationMs >= SLOW_MS ? formatDuration(durationMs) : '';
  return { outcome: text, duration };
}

/** Shorter waits are not shown: they only mean that the client asked and was answered. */
const LONG_WAIT_MS = 5_000;

/** `waited 12s` for a permission; empty if the call ran at once. */
export function waitedText({ outcome: { waitingMs } }: ToolCall): string {
  return waitingMs === null || waitingMs < LONG_WAIT_MS ? '' : `waited ${formatDuration(waitingMs)}`;
}

/** Output of a command. The result holds both streams as one text; where the client reported the second, it is apart. */
export function outputOf({ result, facts, outcome }: ToolCall): { readonly stdout: string; readonly stderr: string } {
  const whole = errorText(result?.text ?? '').trimEnd();
  const code = outcome.exitCode === null ? null : `Exit code ${outcome.exitCode}`;
  // The exit code is shown as such.
  const text = code !== null && whole.startsWith(code) ? whole.slice(code.length).replace(/^\n/, '') : whole;
  const stderr = facts?.stderr?.trim() ?? '';
  if (stderr === '' || !text.endsWith(stderr)) return { stdout: text, stderr: '' };
  return { stdout: text.slice(0, -stderr.length).trimEnd(), stderr };
}

/** The same with the size of the change: `+4 −7 · 3s`. */
export function markOf(call: ToolCall): string {
  const diff = diffOf(call);
  return [diff === null ? '' : formatChange(diff), outcomeText(call)].filter((part) => part !== '').join(' · ');
}

const DENIED_BY: ReadonlyMap<string | null, string> = new Map([
  ['user', 'denied by the user'],
  ['rule', 'denied by a rule'],
  ['hook', 'blocked by a hook'],
  ['auto_mode', 'denied by auto mode'],
]);

const STATES: ReadonlyMap<string, string> = new Map([
  ['error', 'failed'],
  ['denied', 'denied'],
  ['interrupted', 'interrupted'],
  ['pending', 'no result'],
  ['background', 'in the background'],
]);

function outcomeOf(use: BlockRow, result: BlockRow | null, facts: Omit<CallFacts, 'id'> | undefined): Outcome {
  const hasFailed = result?.is_error === true;
  const known = result === null ? 'pending' : hasFailed ? 'error' : 'ok';
  const status = facts?.status ?? use.call_status ?? known;
  const denial = facts?.denial ?? use.call_denial;
  const exitCode = facts?.exit_code ?? null;
  return {
    isError: hasFailed || status === 'error',
    text: outcomeName({ status, denial, exit_code: exitCode }),
    status,
    exitCode,
    durationMs: facts?.duration_ms ?? null,
    waitingMs: use.call?.waiting_ms ?? null,
  };
}

/** `exit 1`, `denied by the user`, `no result`; empty for a successful call. */
export function outcomeName({ exit_code, ...call }: Pick<CallFacts, 'status' | 'denial' | 'exit_code'>): string {
  return exit_code === null || exit_code === 0 ? statusText(call) : `exit ${exit_code}`;
}

/** The status of a call and who denied it; empty for a successful call. */
export function statusText({ status, denial }: Pick<CallFacts, 'status' | 'denial'>): string {
  const denied = status === 'denied' ? DENIED_BY.get(denial) : undefined;
  return denied ?? STATES.get(status) ?? '';
}

/** `mcp__server__tool` → `server · tool`. */
export function showToolName(name: string | null): string {
  const match = /^mcp__(.+?)__(.+)$/.exec(name ?? '');
  return match === null ? (name ?? 'unknown tool') : `${showServer(match[1] ?? '')} · ${match[2]}`;
}

/** The server of a plugin is called `plugin_<plugin>_<server>`; often both have the same name. */
function showServer(server: string): string {
  const name = server.startsWith('plugin_') ? server.slice('plugin_'.length) : server;
  const half = name.slice(0, (name.length - 1) / 2);
  return half !== '' && name === `${half}_${half}` ? half : name;
}

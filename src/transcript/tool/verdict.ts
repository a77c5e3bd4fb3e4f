import type { JsonObject } from '../../domain/transcript.ts';
import type { Denial } from '../../domain/transcript-structure.ts';
import { asObject, asText } from '../read/json.ts';

/**
 * Results of denied, stopped and failed calls are recognized by how their text starts, to avoid searching long texts.
 */

const DENIED: readonly (readonly [string, Denial])[] = [
  ["The user doesn't want to proceed with this tool use", 'user'],
  ["The user doesn't want to take this action right now", 'user'],
  ['User rejected tool use', 'user'],
  ['User chose to stay in plan mode and continue planning', 'user'],
  ['Permission for this action was denied by the Claude Code auto mode', 'auto_mode'],
  ['Auto mode is unavailable', 'auto_mode'],
  ['Permission for this action has been denied', 'rule'],
  ['Permission to use ', 'rule'],
  ['This command requires approval', 'rule'],
  ['This Bash command contains multiple operations. The following part requires approval', 'rule'],
  ['Tool permission request failed', 'rule'],
  ['Claude requested permissions to', 'rule'],
  ['File is in a directory that is denied by your permission settings', 'rule'],
];
/** `PreToolUse:Bash hook error: …`, and until 2.0 `Bash operation blocked by hook: …`. */
const BLOCKED =
  /^(?:[A-Za-z]{1,40}:\S{1,200} hook error: |\S{1,200} operation blocked by hook\b|Operation stopped by hook\b)/;
/** `ls in '/x' was blocked. For security, Claude Code may only list files in the allowed working directories …` */
const OUTSIDE = /^[^\n]{1,500} was blocked\. For security, Claude Code may only /;
const STOPPED = [
  '[Request interrupted by user',
  '[Tool call interrupted',
  'Interrupted by user',
  'Permission prompt was aborted',
];
const STOPPED_ALONE = /^(?:\[[^\]\n]{1,100}\]|Interrupted by user|Permission prompt was aborted)\.?\s*$/;
const STOPPED_KINDS: ReadonlySet<string> = new Set(['interrupted', 'cancelled']);
const EXIT_CODE = /^Exit code (\d{1,5})\b/;
const PREFIXES = ['Error: ', '<tool_use_error>'];

interface Verdict {
  readonly denial: Denial | null;
  /** True if the person stopped the call, while it ran or before it started. */
  readonly isStopped: boolean;
}

/** Circumstances of a result. */
interface VerdictScene {
  /** True if there is no person to ask: permissions are bypassed, or the client prints and exits. */
  readonly isUnattended: boolean;
}

/** Whether a call was denied, and by whom. Current clients state it; for older ones the text decides. */
export function judgeResult(record: JsonObject, isError: boolean, text: string, scene: VerdictScene): Verdict {
  const kind = asText(record['toolDenialKind']);
  const source = asText(asObject(record['permissionDecision'])?.['source']);
  const said = withoutPrefix(text);
  if ((kind !== null && STOPPED_KINDS.has(kind)) || isStopped(text, isError)) return STOPPED_VERDICT;
  if (kind === null && !isError) return NO_VERDICT;
  if (source === 'hook' || BLOCKED.test(said)) return denied('hook');
  const denial = kind === null ? denialInText(said) : denialOfKind(kind);
  if (denial !== 'user' || source?.startsWith('user') === true) return { denial, isStopped: false };
  // Print mode also writes `user-rejected`, for calls its configuration does not allow and for stopped calls.
  if (source !== null) return denied('rule');
  return scene.isUnattended ? STOPPED_VERDICT : denied('user');
}

const NO_VERDICT: Verdict = { denial: null, isStopped: false };
const STOPPED_VERDICT: Verdict = { denial: null, isStopped: true };

function denied(denial: Denial): Verdict {
  return { denial, isStopped: false };
}

function denialInText(said: string): Denial | null {
  return DENIED.find(([prefix]) => said.startsWith(prefix))?.[1] ?? (OUTSIDE.test(said) ? 'rule' : null);
}

function denialOfKind(kind: string): Denial {
  if (kind === 'user-rejected') return 'user';
  return kind.startsWith('automode-') ? 'auto_mode' : 'rule';
}

/** Output can follow the client's words if the result is an error; output of a command can start with the same words. */
export function isStopped(text: string, isError: boolean): boolean {
  const said = withoutPrefix(text);
  return STOPPED.some((prefix) => said.startsWith(prefix)) && (isError || STOPPED_ALONE.test(said));
}

export function exitCodeIn(text: string): number | null {
  const match = EXIT_CODE.exec(withoutPrefix(text.slice(0, 64)));
  return match === null ? null : Number(match[1]);
}

function withoutPrefix(text: string): string {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  return prefix === undefined ? text : text.slice(prefix.length);
}

/** Tools that only ask the person at the keyboard. */
const ASKING_TOOLS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode', 'exit_plan_mode']);

/** File changes take milliseconds; one that takes this long waited for approval. Measured on real sessions. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
const WAITED_MS = 8_000;

/** The longest timeout a command can request; the client kills it after that. */
const MAX_COMMAND_MS = 600_000;

/**
 * The part of the time between a call and its result in which the tool cannot have been running because it waited for a
 * person or for other calls. A lower bound; 0 if nothing is certain.
 */
export function waitingMs(
  name: string | null,
  betweenMs: number,
  { reportedMs, timeoutMs }: { readonly reportedMs: number | null; readonly timeoutMs: number | null },
): number {
  const longestMs = reportedMs ?? longestRunMs(name, betweenMs, timeoutMs);
  const leftMs = betweenMs - longestMs;
  return leftMs >= WAITED_MS ? leftMs : 0;
}

function longestRunMs(name: string | null, betweenMs: number, timeoutMs: number | null): number {
  if (name === null) return betweenMs;
  if (ASKING_TOOLS.has(name) || FILE_TOOLS.has(name)) return 0;
  return name === 'Bash' ? (timeoutMs ?? MAX_COMMAND_MS) : betweenMs;
}

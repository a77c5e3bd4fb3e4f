import type { Denial } from '../../domain/transcript-structure.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { asObject, asText } from '../read/json.ts';

/** How a result tells that a call was denied, stopped or failed. Texts are told by their beginning: no search in long ones. */

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
const STOPPED = [
  '[Request interrupted by user',
  '[Tool call interrupted',
  'Interrupted by user',
  'Permission prompt was aborted',
];
const STOPPED_KINDS: ReadonlySet<string> = new Set(['interrupted', 'cancelled']);
const EXIT_CODE = /^Exit code (\d{1,5})\b/;
const PREFIXES = ['Error: ', '<tool_use_error>'];

export interface Verdict {
  readonly denial: Denial | null;
  /** The person stopped the call while it ran, or before it could. */
  readonly isStopped: boolean;
}

/** What is known about the moment of a result. */
export interface VerdictScene {
  /** Nobody can be asked: permissions are bypassed, or the client prints and exits. */
  readonly isUnattended: boolean;
}

/** Whether a call was denied, and by whom. Today's clients state it; of older ones the text tells. */
export function judgeResult(record: JsonObject, isError: boolean, text: string, scene: VerdictScene): Verdict {
  const kind = asText(record['toolDenialKind']);
  const source = asText(asObject(record['permissionDecision'])?.['source']);
  const said = withoutPrefix(text);
  if ((kind !== null && STOPPED_KINDS.has(kind)) || isStopped(text)) return STOPPED_VERDICT;
  if (kind === null && !isError) return NO_VERDICT;
  if (source === 'hook' || BLOCKED.test(said)) return denied('hook');
  const denial = kind === null ? (DENIED.find(([prefix]) => said.startsWith(prefix))?.[1] ?? null) : denialOfKind(kind);
  if (denial !== 'user' || source?.startsWith('user') === true) return { denial, isStopped: false };
  // Print mode writes `user-rejected` too: for what its configuration does not allow, and for a call that was stopped.
  if (source !== null) return denied('rule');
  return scene.isUnattended ? STOPPED_VERDICT : denied('user');
}

const NO_VERDICT: Verdict = { denial: null, isStopped: false };
const STOPPED_VERDICT: Verdict = { denial: null, isStopped: true };

function denied(denial: Denial): Verdict {
  return { denial, isStopped: false };
}

function denialOfKind(kind: string): Denial {
  if (kind === 'user-rejected') return 'user';
  return kind.startsWith('automode-') ? 'auto_mode' : 'rule';
}

export function isStopped(text: string): boolean {
  const said = withoutPrefix(text);
  return STOPPED.some((prefix) => said.startsWith(prefix));
}

export function exitCodeIn(text: string): number | null {
  const match = EXIT_CODE.exec(withoutPrefix(text.slice(0, 64)));
  return match === null ? null : Number(match[1]);
}

function withoutPrefix(text: string): string {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  return prefix === undefined ? text : text.slice(prefix.length);
}

/** Tools that do nothing but ask the person at the keyboard. */
const ASKING_TOOLS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode', 'exit_plan_mode']);

/** Changes of a file take milliseconds; one that takes this long waited for approval. Measured on real sessions. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
const WAITED_MS = 8_000;

/** The longest time a command may ask for; the client ends it then. */
const MAX_COMMAND_MS = 600_000;

/**
 * The part of the time between a call and its result in which the tool cannot have been running: it waited for a person
 * or for other calls. A lower bound; 0 when nothing is certain.
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

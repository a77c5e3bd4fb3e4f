import type { Invocation } from './shell-command.ts';
import type { ToolStatus } from './transcript-structure.ts';

/** How the client says that a shell command ended. */
export interface FinishedRun {
  readonly status: ToolStatus;
  readonly exitCode: number | null;
  readonly output: string;
}

/** Stopped at the permission prompt, or while it ran without any output. */
const STOPPED_BEFORE =
  /^(?:Error: )?(?:The user doesn't want|Permission prompt was aborted|\[Request interrupted[^\]\n]{0,60}\]\s*$)/;
/** The client itself rejects some commands, such as a long `sleep`. */
const REJECTED = /^(?:Error: )?<tool_use_error>/;

/** Nothing ran: the call was denied, stopped at the permission prompt or rejected. */
export function isNeverRun({ status, output }: FinishedRun): boolean {
  if (status === 'denied') return true;
  return status === 'interrupted' ? STOPPED_BEFORE.test(output) : status === 'error' && REJECTED.test(output);
}

export type CallOutcome = 'succeeded' | 'failed' | 'unknown';

/** Programs that practically never fail; if the command fails, a later program is the cause. */
const HARMLESS: ReadonlySet<string> = new Set(['cd', 'echo', 'export', 'set', 'source', '.', 'printf', 'sleep', 'pwd']);
const NOT_STARTED =
  /^(?:Error: )?<tool_use_error>|command not found|No such file or directory|Missing script|not recognized as/i;

/**
 * Outcome of one program in a shell command, derived from the exit code. `a && b` with exit code 0 means that both
 * succeeded; before `;` or `||`, in a pipe or inside a loop the exit code is inconclusive.
 */
export function outcomeOf(run: FinishedRun, invocations: readonly Invocation[], at: number): CallOutcome {
  const after = invocations.slice(at);
  if (after.some(({ isConditional }) => isConditional)) return 'unknown';
  if (hasSucceeded(run, invocations)) {
    const isChained = after.slice(0, -1).every(({ next }) => next === '&&') && after.at(-1)?.next === null;
    return isChained && !isFallback(invocations, at) ? 'succeeded' : 'unknown';
  }
  if (!hasFailedAt(run, invocations, at) || NOT_STARTED.test(run.output)) return 'unknown';
  return isReached(invocations, at) ? 'failed' : 'unknown';
}

/** Whether a program of a failed command was run: none before it can have failed. */
export function isReached(invocations: readonly Invocation[], at: number): boolean {
  return chainBefore(invocations, at).every(isHarmless);
}

/** Whether a program runs only if the one before it fails: `a || b`. */
function isFallback(invocations: readonly Invocation[], at: number): boolean {
  return invocations.slice(0, at).findLast(({ next }) => next !== '|')?.next === '||';
}

/** Whether the exit code shows that the last program of a command failed or was not reached. */
export function hasFailedAt(
  { status, exitCode }: FinishedRun,
  invocations: readonly Invocation[],
  at: number,
): boolean {
  if (status !== 'error' || exitCode === 0 || invocations[at]?.isConditional) return false;
  return at === invocations.length - 1 && !isKilled({ exitCode });
}

/** Exit codes after a timeout, Ctrl-C and kill: what the command had done by then is unknown. */
const KILLED: ReadonlySet<number | null> = new Set([124, 130, 137, 143]);

export function isKilled({ exitCode }: Pick<FinishedRun, 'exitCode'>): boolean {
  return KILLED.has(exitCode);
}

/** Programs with exit codes that the client interprets: a call can succeed although they return 1. */
const INTERPRETED: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg', 'find', 'diff', 'test', '[']);

/** Results in files of sub-agents have no exit code; there, a call without an error returned 0. */
function hasSucceeded({ status, exitCode }: FinishedRun, invocations: readonly Invocation[]): boolean {
  if (status !== 'ok') return false;
  return exitCode === 0 || (exitCode === null && !INTERPRETED.has(invocations.at(-1)?.program ?? ''));
}

/** The programs that decide, together with this one, how the command ends: those since the last `;`. */
function chainBefore(invocations: readonly Invocation[], at: number): readonly Invocation[] {
  const before = invocations.slice(0, at);
  const stopsAtErrors = before.some(
    ({ program, words }) => program === 'set' && words.some((word) => /^-\w*e/.test(word)),
  );
  return stopsAtErrors ? before : before.slice(before.findLastIndex(({ next }) => next === ';' || next === '&') + 1);
}

function isHarmless({ program, next }: Invocation): boolean {
  return HARMLESS.has(program) && next !== '|' && next !== '||';
}

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
 * succeeded; after `;`, `||`, a pipe or inside a loop the exit code is inconclusive.
 */
export function outcomeOf(run: FinishedRun, invocations: readonly Invocation[], at: number): CallOutcome {
  const { status, exitCode, output } = run;
  const after = invocations.slice(at);
  if (after.some(({ isConditional }) => isConditional)) return 'unknown';
  if (status === 'ok' && exitCode === 0) {
    const isChained = after.slice(0, -1).every(({ next }) => next === '&&') && after.at(-1)?.next === null;
    return isChained ? 'succeeded' : 'unknown';
  }
  if (status !== 'error' || exitCode === 0 || NOT_STARTED.test(output)) return 'unknown';
  const isAlone = after.length === 1 && invocations.slice(0, at).every(isHarmless);
  return isAlone ? 'failed' : 'unknown';
}

function isHarmless({ program, next }: Invocation): boolean {
  return HARMLESS.has(program) && next !== '|' && next !== '||';
}

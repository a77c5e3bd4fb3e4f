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

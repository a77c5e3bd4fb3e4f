/** A hook as it stands in settings.json. */
export interface HookEntry {
  readonly event: string;
  /** Which tools it is for; null where an event has none. */
  readonly matcher: string | null;
  /** The first client that is known to know the event. */
  readonly since?: string;
}

/** Seconds after which Claude Code gives up on the hook. It also is what a SessionEnd hook gets instead of 1.5 s. */
export const HOOK_TIMEOUT_SECONDS = 5;

/** Tools whose use is an event of its own; all of them are rare, so that no ordinary tool call waits for a hook. */
const TOOLS_WITH_EVENTS = 'TeamCreate|SendMessage|Skill|EnterWorktree|ExitWorktree';

/**
 * What we listen to. Beginnings and ends give events and wake the worker; Stop and StopFailure say that a turn is on disk
 * or about to be; PreCompact comes before history is rewritten.
 *
 * Never WorktreeCreate or WorktreeRemove: a hook for them replaces what Claude Code does itself, and a silent one would
 * make it fail. Nor UserPromptSubmit and the like: people wait for those, and the worker sees their lines anyway.
 */
export const HOOK_EVENTS: readonly HookEntry[] = [
  { event: 'SessionStart', matcher: null },
  { event: 'SessionEnd', matcher: null },
  { event: 'Stop', matcher: null },
  { event: 'StopFailure', matcher: null, since: '2.1.80' },
  { event: 'SubagentStart', matcher: null, since: '2.1.80' },
  { event: 'SubagentStop', matcher: null },
  { event: 'PreCompact', matcher: null },
  { event: 'PostCompact', matcher: null, since: '2.1.80' },
  { event: 'PostToolUse', matcher: TOOLS_WITH_EVENTS },
];

/**
 * What a client may be told to call. One event that it does not know makes an older client ignore the whole settings
 * file, its permission rules too: so what is not known to every client is left out unless this one is known to know it.
 */
export function hookEventsFor(clientVersion: string | null): readonly HookEntry[] {
  return HOOK_EVENTS.filter(({ since }) => {
    return since === undefined || (clientVersion !== null && compareVersions(clientVersion, since) >= 0);
  });
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = (left ?? []).findIndex((part, index) => part !== right?.[index]);
  return at < 0 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}

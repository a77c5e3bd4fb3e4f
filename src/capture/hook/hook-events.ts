import { execFile } from 'node:child_process';

/** A hook entry of settings.json. */
export interface HookEntry {
  readonly event: string;
  /** The tools it applies to; null for events that have no tools. */
  readonly matcher: string | null;
  /** The first client version known to support the event. */
  readonly since?: string;
}

/** Seconds after which Claude Code gives up on the hook. For SessionEnd this replaces the default of 1.5 s. */
export const HOOK_TIMEOUT_SECONDS = 5;

/** Tools whose use is an event of its own. All of them are rare, so ordinary tool calls never wait for a hook. */
const TOOLS_WITH_EVENTS = 'TeamCreate|SendMessage|Skill|EnterWorktree|ExitWorktree';

/**
 * The events we subscribe to. Starts and ends produce events and wake the worker; Stop and StopFailure mean that a turn
 * is on disk or about to be. Never WorktreeCreate or WorktreeRemove: a hook for them replaces Claude Code's own action,
 * so a silent one would make it fail. Nor PreCompact and PostCompact: after /compact, the client shows the command line
 * of each such hook to the user and to the model, and a compaction is reported by SessionStart too. Nor UserPromptSubmit
 * and similar events: people wait for those, and the worker sees their lines anyway.
 */
export const HOOK_EVENTS: readonly HookEntry[] = [
  { event: 'SessionStart', matcher: null, since: '1.0.62' },
  { event: 'SessionEnd', matcher: null, since: '1.0.85' },
  { event: 'Stop', matcher: null },
  { event: 'StopFailure', matcher: null, since: '2.1.80' },
  { event: 'SubagentStart', matcher: null, since: '2.1.80' },
  { event: 'SubagentStop', matcher: null },
  { event: 'PostToolUse', matcher: TOOLS_WITH_EVENTS },
];

/** Assumed when the version of the client is unknown: the oldest one that people are expected to run. */
const OLDEST_CLIENT = '2.0.0';

/** Events that earlier versions subscribed to. Installing again removes their entries. */
export const RETIRED_EVENTS: readonly string[] = ['PreCompact', 'PostCompact'];

/**
 * The events that are safe to register with a client version. An older client ignores its whole settings file,
 * permission rules included, when it contains one unknown event; events that some clients do not support are left out unless
 * this version supports them.
 */
export function hookEventsFor(clientVersion: string | null): readonly HookEntry[] {
  const version = clientVersion ?? OLDEST_CLIENT;
  return HOOK_EVENTS.filter(({ since }) => since === undefined || compareVersions(version, since) >= 0);
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = (left ?? []).findIndex((part, index) => part !== right?.[index]);
  return at < 0 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}

const TIMEOUT_MS = 5_000;

/** The version of the installed `claude`; null when it is missing or prints no version. */
export function readClientVersion(): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('claude', ['--version'], { timeout: TIMEOUT_MS }, (_error, stdout) => {
      resolve(/^(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null);
    });
  });
}

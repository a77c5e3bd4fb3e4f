/** How a result's text tells that a call was refused, stopped or failed. All are prefixes: no search in long texts. */

const REFUSED: readonly (readonly [string, string])[] = [
  ["The user doesn't want to proceed with this tool use", 'user-rejected'],
  ["The user doesn't want to take this action right now", 'user-rejected'],
  ['User rejected tool use', 'user-rejected'],
  ['Permission for this action was denied by the Claude Code auto mode', 'automode-blocked'],
  ['Permission for this action has been denied', 'permission-rule'],
  ['Permission to use ', 'permission-rule'],
  ['This command requires approval', 'permission-rule'],
  ['Tool permission request failed', 'permission-rule'],
  ['Claude requested permissions to', 'permission-rule'],
];
const STOPPED = ['[Request interrupted by user', '[Tool call interrupted', 'Interrupted by user'];
const EXIT_CODE = /^Exit code (\d{1,5})\b/;
const ERROR_PREFIX = 'Error: ';

/** The kind of refusal, or null. */
export function refusalIn(text: string): string | null {
  const said = withoutPrefix(text);
  return REFUSED.find(([prefix]) => said.startsWith(prefix))?.[1] ?? null;
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
  return text.startsWith(ERROR_PREFIX) ? text.slice(ERROR_PREFIX.length) : text;
}

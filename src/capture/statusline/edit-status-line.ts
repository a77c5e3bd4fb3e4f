import { insertChild, type JsonContainer, JsonProblem, member, removeChild, rootOf, serialize } from '../hook/jsonc.ts';

/** A status line as Claude Code stores it in its settings. */
export interface StatusLineEntry {
  readonly type: 'command';
  readonly command: string;
}

export type StatusLineState = 'missing' | 'installed' | 'outdated' | 'foreign';

const KEY = 'statusLine';
/** Any command that starts `fuel-code statusline`, wherever it is installed. */
const OURS = /(?:fuel-code|main\.ts)["']? statusline\b/;

/** Errors: JsonProblem. */
export function stateOf(text: string, entry: StatusLineEntry): StatusLineState {
  const found = member(rootOf(text), KEY);
  if (found === undefined) return 'missing';
  if (!isOurs(text)) return 'foreign';
  const wanted = JSON.stringify(entry);
  return serialize(text, found) === serialize(wanted, rootOf(wanted)) ? 'installed' : 'outdated';
}

/** The source text of the status line in the settings; null without one. Errors: JsonProblem. */
export function sourceOf(text: string): string | null {
  const found = member(rootOf(text), KEY);
  return found === undefined ? null : text.slice(found.start, found.end);
}

/** Whether the settings have a status line of ours. Errors: JsonProblem. */
export function isOurs(text: string): boolean {
  const found = member(rootOf(text), KEY);
  const command = found === undefined ? undefined : member(found, 'command');
  return command?.kind === 'scalar' && OURS.test(String(command.value));
}

/** Returns the text with this status line; everything else is unchanged. Errors: JsonProblem. */
export function setStatusLine(text: string, entry: StatusLineEntry): string {
  if (stateOf(text, entry) === 'installed') return text;
  if (sourceOf(text) === null) return checked(text, insertChild(text, rootOf(text), KEY, entry));
  return putSource(text, JSON.stringify(entry));
}

/** Returns the text with this source in place of the status line, or without one. Errors: JsonProblem. */
export function restoreStatusLine(text: string, source: string | null): string {
  if (source !== null) return putSource(text, source);
  const root = rootOf(text);
  return checked(
    text,
    removeChild(
      text,
      root,
      root.children.findLastIndex((child) => child.key === KEY),
    ),
  );
}

function putSource(text: string, source: string): string {
  const found = member(rootOf(text), KEY);
  return found === undefined ? text : checked(text, text.slice(0, found.start) + source + text.slice(found.end));
}

/** Safety net: whatever the edit did, the rest of the settings must be the same. */
function checked(before: string, after: string): string {
  if (contentOf(before) === contentOf(after)) return after;
  throw new JsonProblem('it cannot be edited without losing something', 0);
}

function contentOf(text: string): string {
  const root: JsonContainer = rootOf(text);
  const others = root.children.filter(({ key }) => key !== KEY);
  return others.map(({ key, node }) => `${key}:${serialize(text, node)}`).join();
}

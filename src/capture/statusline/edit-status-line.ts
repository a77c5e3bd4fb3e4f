import { checkEdit, hasValue, insertChild, member, removeMember, rootOf, serialize } from '../settings/jsonc.ts';

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
  return hasValue(text, found, entry) ? 'installed' : 'outdated';
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
  if (sourceOf(text) === null) return checkEdit(text, insertChild(text, rootOf(text), KEY, entry), otherContent);
  return putSource(text, JSON.stringify(entry));
}

/** Returns the text with this source in place of the status line, or without one. Errors: JsonProblem. */
export function restoreStatusLine(text: string, source: string | null): string {
  if (source !== null) return putSource(text, source);
  return checkEdit(text, removeMember(text, rootOf(text), KEY), otherContent);
}

function putSource(text: string, source: string): string {
  const found = member(rootOf(text), KEY);
  if (found === undefined) return text;
  return checkEdit(text, text.slice(0, found.start) + source + text.slice(found.end), otherContent);
}

function otherContent(text: string): string {
  const others = rootOf(text).children.filter(({ key }) => key !== KEY);
  return others.map(({ key, node }) => `${key}:${serialize(text, node)}`).join();
}

import type { SessionRow } from '../api/sessions.ts';
import { commandText } from '../domain/client-tags.ts';
import { fileName } from '../domain/file-path.ts';
import { firstLine } from './format.ts';
import { STATE_LABELS, stateOf } from './session-facts.ts';

const MAX_TITLE_CHARS = 200;

/** The title of a session everywhere: its own, else the first line of its prompt. */
export function titleOf({ title, initial_prompt, lifecycle, parse_status }: Titled): string {
  for (const text of [title, initial_prompt]) {
    const line = firstLine(commandText(text ?? ''), MAX_TITLE_CHARS);
    if (line !== '') return line;
  }
  const isUnread =
    lifecycle !== undefined && parse_status !== undefined && stateOf({ lifecycle, parse_status }) === 'reading';
  return isUnread ? STATE_LABELS.reading : 'Untitled session';
}

export const SHORT_ID_CHARS = 8;

/** The start of an id, wherever a person reads it; every command accepts it. */
export function shortId(id: string): string {
  return id.slice(0, SHORT_ID_CHARS);
}

type Titled = Pick<SessionRow, 'title'> & Partial<Pick<SessionRow, 'initial_prompt' | 'lifecycle' | 'parse_status'>>;

const MAX_SLUG_CHARS = 80;
/** Characters read from a text; more would not fit into the name anyway. */
const MAX_CHARS_READ = 1_000;

/** The columns used to name an exported session. */
export type Named = Pick<SessionRow, 'id' | 'title' | 'initial_prompt' | 'git_branch'>;

/** I10: a file name that is valid on every system, built from the title, else the prompt, else the branch. */
export function exportName({ id, title, initial_prompt, git_branch }: Named, extension: string): string {
  const slugs = [title, initial_prompt, git_branch].map((text) => slugOf(commandText(text ?? '')));
  const slug = slugs.find((each) => each !== '') ?? 'session';
  return `${slug}-${slugOf(shortId(id)) || '0'}.${extension}`;
}

function slugOf(text: string): string {
  return text
    .slice(0, MAX_CHARS_READ)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replaceAll(/^-|-$/g, '');
}

const MAX_NAME_CHARS = 200;
/** Reserved device names on Windows, regardless of the extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** I10: the name of an archived file, with all characters replaced that are invalid on some system. */
export function archivedName(path: string): string {
  const name = fileName(path)
    .replaceAll(/[^\w.-]/g, '-')
    .slice(-MAX_NAME_CHARS)
    .replace(/^[.-]+/, '')
    .replace(/\.+$/, '');
  return name === '' ? 'transcript' : name.replace(RESERVED, '$&-');
}

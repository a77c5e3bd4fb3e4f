import type { SessionRow } from '../domain/query.ts';
import { commandText } from '../domain/client-tags.ts';

const MAX_SLUG_CHARS = 80;
const SHORT_ID_CHARS = 8;
/** What is looked at of a prompt: more would not fit into the name anyway. */
const MAX_CHARS_READ = 1_000;

/** What an exported session can be called by. */
export type Named = Pick<SessionRow, 'id' | 'title' | 'initial_prompt' | 'git_branch'>;

/** I10: a file name that says what is in it and that every system takes: its title, else its prompt, else its branch. */
export function exportName({ id, title, initial_prompt, git_branch }: Named, extension: string): string {
  const slugs = [title, initial_prompt, git_branch].map((text) => slugOf(commandText(text ?? '')));
  const slug = slugs.find((each) => each !== '') ?? 'session';
  return `${slug}-${shortId(id)}.${extension}`;
}

function shortId(id: string): string {
  return slugOf(id.slice(0, SHORT_ID_CHARS)) || '0';
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
/** Windows keeps these for devices, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** I10: the own name of an archived file, with every character that some system refuses replaced. */
export function archivedName(path: string): string {
  const name = (path.split('/').at(-1) ?? '')
    .replaceAll(/[^\w.-]/g, '-')
    .slice(-MAX_NAME_CHARS)
    .replace(/^[.-]+/, '')
    .replace(/\.+$/, '');
  return name === '' ? 'transcript' : name.replace(RESERVED, '$&-');
}

import type { DeletionPreview } from '../api/deletions.ts';
import { formatBytes, formatCount, plural } from './format.ts';

export interface DeletionLists {
  readonly goes: readonly string[];
  readonly stays: readonly string[];
}

type Sums = { readonly [K in keyof DeletionPreview as DeletionPreview[K] extends number ? K : never]: number };

/** What deleting these sessions removes and what it cannot reach, as short phrases. */
export function listDeletion(previews: readonly DeletionPreview[], transcript: boolean): DeletionLists {
  const sum = (field: keyof Sums) => previews.reduce((total, preview) => total + preview[field], 0);
  const some = (count: number, what: string) => (count === 0 ? [] : [plural(count, what)]);
  const files = previews.flatMap(({ claude_files }) => claude_files);
  const forks = new Set(previews.flatMap(({ forks: own }) => own));
  for (const { session_id } of previews) forks.delete(session_id);
  const freed = sum('size_bytes') - sum('shared_bytes');
  return {
    goes: [
      `${plural(sum('messages'), 'message')} with their texts, tool calls, costs and search entries`,
      `${plural(sum('files') + sum('files_beside'), 'archived file')} (${formatBytes(freed)})`,
      ...some(sum('documents'), 'plan, to-do or prompt text'),
      ...some(sum('events'), 'hook event'),
      ...some(sum('notes'), 'note'),
      ...some(sum('shares'), 'share link'),
      ...(sum('shipped_files') === 0 ? [] : ['the copy on the configured server, once the grace period is over']),
      ...(transcript && files.length > 0 ? [`${plural(files.length, 'file')} in the Claude home`] : []),
    ],
    stays: [
      ...(transcript || files.length === 0
        ? []
        : [`${plural(files.length, 'file')} in the Claude home, which will be ignored`]),
      ...(forks.size === 0 ? [] : [`${plural(forks.size, 'session')} that began as a copy, with the copied messages`]),
      ...(sum('shared_bytes') === 0 ? [] : [`${formatBytes(sum('shared_bytes'))} that other sessions share`]),
      'commits and files of your projects',
      'backups, exported files, and copies on other devices',
    ],
  };
}

/** What deleting running sessions means. */
export function liveWarning(previews: readonly Pick<DeletionPreview, 'is_live'>[]): string | null {
  const live = previews.filter(({ is_live }) => is_live).length;
  if (live === 0) return null;
  const who = previews.length === 1 ? 'This session' : `${formatCount(live)} of them`;
  return `${who} may still be running; what ${live === 1 ? 'it writes' : 'they write'} from now on is not stored either.`;
}

import type { GitActivityRow } from '../api/activity.ts';

/** `#7 created` for a pull request; '' for everything else. */
export function pullRequestText({ type, data }: GitActivityRow): string {
  if (type !== 'pr') return '';
  const { number, action, url } = data;
  return [typeof number === 'number' ? `#${number}` : url, action].filter((word) => typeof word === 'string').join(' ');
}

/** Notes that an amend or a rebase replaced the commit. */
export function replacedMark({ replaced_by }: GitActivityRow): string {
  return replaced_by === null ? '' : '(replaced) ';
}

/** Activity of others during or right after a session does not belong to the session. */
export function relationMark({ relation }: GitActivityRow): string {
  return relation === null || relation === 'own' ? '' : ` (${relation})`;
}

import type { GitActivityRow } from '../api/answers/around.ts';

/** `#7 created` of a pull request; '' of all else. */
export function pullRequestText({ type, data }: GitActivityRow): string {
  if (type !== 'pr') return '';
  const { number, action, url } = data;
  return [typeof number === 'number' ? `#${number}` : url, action].filter((word) => typeof word === 'string').join(' ');
}

/** Says that an amend or a rebase replaced a commit. */
export function replacedMark({ replaced_by }: GitActivityRow): string {
  return replaced_by === null ? '' : '(replaced) ';
}

/** What somebody else did while a session ran, or right after it, is not the session's. */
export function relationMark({ relation }: GitActivityRow): string {
  return relation === null || relation === 'own' ? '' : ` (${relation})`;
}

import type { GitActivityRow } from '../store/queries/git-activity.ts';

/** `#7 created` of a pull request; '' of all else. */
export function pullRequestText({ type, data }: GitActivityRow): string {
  if (type !== 'pr') return '';
  const { number, action, url } = data;
  return [typeof number === 'number' ? `#${number}` : url, action].filter((word) => typeof word === 'string').join(' ');
}

import type { GivenOrder } from './session-sort.ts';

export const MAX_VIEWS = 100;
export const MAX_VIEW_NAME_CHARS = 60;

/** What sessions can be grouped by on the page. */
export const LIST_GROUPS = ['day', 'workspace', 'none'] as const;
export type ListGroup = (typeof LIST_GROUPS)[number];

/** A filter of the list with a name, its order and its groups. */
export interface ListView extends GivenOrder {
  readonly q: string;
  readonly group?: ListGroup | undefined;
}

/** Views that everybody has. */
export const BUILT_IN_VIEWS: readonly { readonly name: string; readonly view: ListView }[] = [
  { name: 'All', view: { q: '' } },
  { name: 'Live', view: { q: 'is:live' } },
  { name: 'Pinned', view: { q: 'is:pinned' } },
  { name: 'Failed tests', view: { q: 'has:failed_tests' } },
  { name: '> $5', view: { q: 'cost>5' } },
];

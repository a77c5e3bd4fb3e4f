/**
 * What lists of sessions can be sorted by, with its usual direction. Sessions with the same value are ordered by start, newest
 * first; those without one come last.
 */
export const SESSION_SORTS = {
  time: { about: 'start', order: 'desc' },
  cost: { about: 'cost', order: 'desc' },
  duration: { about: 'duration', order: 'desc' },
  tokens: { about: 'tokens, all kinds together', order: 'desc' },
  messages: { about: 'number of messages', order: 'desc' },
  lines: { about: 'lines added and removed', order: 'desc' },
  title: { about: 'title', order: 'asc' },
  workspace: { about: 'workspace', order: 'asc' },
} as const satisfies Record<string, { readonly about: string; readonly order: SortOrder }>;
export type SessionSort = keyof typeof SESSION_SORTS;

export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

export interface ListOrder {
  readonly sort: SessionSort;
  readonly order: SortOrder;
}

/** Either may be missing: newest first, and the usual direction. */
export interface GivenOrder {
  readonly sort?: SessionSort | undefined;
  readonly order?: SortOrder | undefined;
}

export function readListOrder({ sort = 'time', order }: GivenOrder): ListOrder {
  return { sort, order: order ?? SESSION_SORTS[sort].order };
}

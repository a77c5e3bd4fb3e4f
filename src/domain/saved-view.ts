import { journalFields } from './journal-note.ts';
import { type GivenOrder, SESSION_SORTS, type SessionSort, SORT_ORDERS, type SortOrder } from './session-sort.ts';
import type { JsonObject, JsonValue } from './transcript.ts';

export const MAX_VIEWS = 100;
export const MAX_VIEW_NAME_CHARS = 60;

/** What sessions can be grouped by on the page. */
export const LIST_GROUPS = ['day', 'workspace', 'none'] as const;
export type ListGroup = (typeof LIST_GROUPS)[number];

/** A filter of the list with a name, its order and its groups. */
interface ListView extends GivenOrder {
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

/** A change of the saved views. Nothing else contains them, so the journal keeps them. */
export type ViewNote = { readonly at: string; readonly id: string } & (
  | {
      readonly what: 'view_saved';
      readonly name: string;
      readonly q: string;
      readonly sort: SessionSort | null;
      readonly order: SortOrder | null;
      readonly group: ListGroup | null;
      readonly createdAt: string;
    }
  | { readonly what: 'view_removed' }
);

/** Reads a change of a view from a journal record; null for any other record. */
export function viewNoteFromJournal(record: JsonObject): ViewNote | null {
  const { at, what, id, name, q, createdAt, sort, order, group } = journalFields(record);
  if (typeof at !== 'string' || typeof id !== 'string') return null;
  if (what === 'view_removed') return { at, what, id };
  if (what !== 'view_saved' || typeof name !== 'string' || typeof q !== 'string') return null;
  if (typeof createdAt !== 'string') return null;
  const shown = {
    sort: oneOf(Object.keys(SESSION_SORTS) as SessionSort[], sort),
    order: oneOf(SORT_ORDERS, order),
    group: oneOf(LIST_GROUPS, group),
  };
  return { at, what, id, name, q, ...shown, createdAt };
}

/** Null also for a value of a newer version: a view in another order is better than none. */
function oneOf<T extends string>(known: readonly T[], value: JsonValue | undefined): T | null {
  return known.find((name) => name === value) ?? null;
}

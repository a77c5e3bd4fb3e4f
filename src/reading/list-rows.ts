import type { SessionRow } from '../api/sessions.ts';
import type { ListGroup } from '../domain/saved-view.ts';
import { formatDayHeading } from './format.ts';
import { titleOf } from './names.ts';
import { stateOf } from './session-facts.ts';

interface Heading {
  readonly kind: 'heading';
  readonly key: string;
  readonly label: string;
  readonly sessions: number;
  /** Of the sessions whose cost is known. */
  readonly cost: number;
}

interface Single {
  readonly kind: 'session';
  readonly key: string;
  readonly session: SessionRow;
  /** Cost relative to the most expensive session of its group, from 0 to 1. */
  readonly share: number;
  readonly isInFold: boolean;
}

/** Repeated automation as one row: sessions of a group with the same title in the same workspace. */
export interface Fold {
  readonly kind: 'fold';
  readonly key: string;
  /** The first of them, for what they have in common. */
  readonly session: SessionRow;
  readonly members: readonly SessionRow[];
  readonly cost: number;
  readonly share: number;
  readonly isOpen: boolean;
}

export type ListRow = Heading | Single | Fold;

interface RowOptions {
  readonly group: ListGroup;
  readonly now: Date;
  /** Keys of the folds that are open. */
  readonly open: ReadonlySet<string>;
}

/** Fewer sessions with the same title are not worth folding. */
const MIN_FOLDED = 3;

/** The rows of the list: a heading wherever the group changes, and repeated sessions folded into one row. */
export function toListRows(sessions: readonly SessionRow[], { group, now, open }: RowOptions): readonly ListRow[] {
  const dayOf = createDayHeadings(now);
  const labelOf = (session: SessionRow) =>
    group === 'day' ? dayOf(session.started_at) : group === 'workspace' ? session.workspace_name : '';
  const groups = Map.groupBy(sessions, labelOf);
  return [...groups].flatMap(([label, members]) => {
    const rows = rowsOfGroup(label, members, open);
    if (group === 'none') return rows;
    const heading = { kind: 'heading' as const, key: `group:${label}`, label };
    return [{ ...heading, sessions: members.length, cost: sumCost(members) }, ...rows];
  });
}

/** Formatting a date is slow, and the same few days occur thousands of times. */
function createDayHeadings(now: Date): (iso: string) => string {
  const known = new Map<string, string>();
  return (iso) => {
    const day = new Date(iso).toDateString();
    const heading = known.get(day) ?? formatDayHeading(iso, now);
    known.set(day, heading);
    return heading;
  };
}

function rowsOfGroup(label: string, sessions: readonly SessionRow[], open: ReadonlySet<string>): readonly ListRow[] {
  const most = Math.max(0, ...sessions.map(costOf));
  const share = (cost: number) => (most > 0 ? Math.min(1, cost / most) : 0);
  const single = (session: SessionRow, isInFold: boolean): Single => {
    return { kind: 'session', key: session.id, session, share: share(costOf(session)), isInFold };
  };
  const repeated = Map.groupBy(sessions, repeatKey);
  const written = new Set<string>();
  return sessions.flatMap((session): readonly ListRow[] => {
    const name = repeatKey(session);
    const members = repeated.get(name) ?? [];
    if (name === session.id || members.length < MIN_FOLDED) return [single(session, false)];
    if (written.has(name)) return [];
    written.add(name);
    const key = `fold:${label}:${name}`;
    const isOpen = open.has(key);
    const cost = sumCost(members);
    const fold: Fold = { kind: 'fold', key, session, members, cost, share: share(cost), isOpen };
    return isOpen ? [fold, ...members.map((member) => single(member, true))] : [fold];
  });
}

/** What repeated sessions have in common; a pinned, tagged or running session keeps its own row. */
function repeatKey(session: SessionRow): string {
  const known = REPEAT_KEYS.get(session);
  if (known !== undefined) return known;
  const isApart = session.is_pinned || stateOf(session) === 'live' || session.tags.length > 0;
  const key = isApart ? session.id : JSON.stringify([session.workspace_id, titleOf(session)]);
  REPEAT_KEYS.set(session, key);
  return key;
}

/** Rows never change, so their keys are computed once, however often the list grows. */
const REPEAT_KEYS = new WeakMap<SessionRow, string>();

function costOf({ cost_estimate_usd }: SessionRow): number {
  return cost_estimate_usd ?? 0;
}

function sumCost(sessions: readonly SessionRow[]): number {
  return sessions.reduce((sum, session) => sum + costOf(session), 0);
}

/** The sessions that a row represents. */
export function sessionsOf(row: ListRow | undefined): readonly SessionRow[] {
  if (row?.kind === 'fold') return row.members;
  return row?.kind === 'session' ? [row.session] : [];
}

/**
 * All loaded sessions after the first page was read again. A new first page replaces the old one; sessions that newer
 * ones pushed out of it stay, those that left the list go.
 */
export function mergeFirstPage(
  first: readonly SessionRow[] | undefined,
  pages: readonly (readonly SessionRow[])[],
  isByTime: boolean,
): readonly SessionRow[] {
  if (first === undefined) return pages.flat();
  const known = new Set(first.map(({ id }) => id));
  const end = first.at(-1)?.started_at ?? '';
  const [old = [], ...rest] = pages;
  const isPushedOut = (session: SessionRow) => pages.length > 1 && (!isByTime || session.started_at <= end);
  const others = [...old.filter(isPushedOut), ...rest.flat()].filter(({ id }) => !known.has(id));
  return [...first, ...others];
}

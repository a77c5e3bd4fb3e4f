import { sql } from 'kysely';
import type { TimelineItem, TimelinePage } from '../../../api/activity.ts';
import type { SessionRow } from '../../../api/sessions.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import type { Engine, Tx } from '../../engine.ts';
import { cutPage, decodePosition, encodePosition, isBeyond, type Position } from '../../sql.ts';
import { EVENT_COLUMNS, toEvent } from '../events/events.ts';
import { GIT_ORDER, gitPosition, toGitRow } from '../git/read-git.ts';
import { eventCondition, gitCondition } from './field-conditions.ts';
import { listSessions } from './session-rows.ts';

const MAX_GIT_ROWS_A_SESSION = 50;

interface TimelineRequest extends SessionSelection {
  readonly types?: readonly TimelineItem['kind'][] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Sessions, git activity outside of all sessions and events of scripts, merged by time, newest first. Errors: usage for
 * a cursor that is not ours.
 */
export async function readTimeline(engine: Engine, query: TimelineRequest): Promise<TimelinePage> {
  const types = query.types ?? ['session', 'git', 'event'];
  const position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const sessions = types.includes('session') ? await olderSessions(engine, query, position) : [];
  const orphans = types.includes('git') ? await olderOrphans(engine, query, position) : [];
  const events = types.includes('event') ? await olderEvents(engine, query, position) : [];
  const merged = [...sessions, ...orphans, ...events].toSorted((a, b) =>
    isNewer(positionOf(a), positionOf(b)) ? -1 : 1,
  );
  const { page, next } = cutPage(merged, query.limit, positionOf);
  return { items: await withGit(engine.kysely, page), next_cursor: next };
}

type Found =
  | { readonly kind: 'session'; readonly at: string; readonly session: SessionRow }
  | (Extract<TimelineItem, { kind: 'git' | 'event' }> & { readonly position: Position });

function positionOf(found: Found): Position {
  return found.kind === 'session' ? { at: found.at, id: found.session.id } : found.position;
}

function isNewer(a: Position, b: Position): boolean {
  return a.at === b.at ? a.id > b.id : a.at > b.at;
}

async function olderSessions(engine: Engine, query: TimelineRequest, position: Position | null): Promise<Found[]> {
  const { sessions, next_cursor } = await listSessions(engine, {
    ...query,
    ...(position === null ? {} : { cursor: encodePosition(position) }),
  });
  const found = sessions.map((session) => ({ kind: 'session' as const, at: session.started_at, session }));
  if (next_cursor === null) return found;
  // One more than the page holds, so that the merge knows there is more.
  const { sessions: more } = await listSessions(engine, { ...query, cursor: next_cursor, limit: 1 });
  return [...found, ...more.map((session) => ({ kind: 'session' as const, at: session.started_at, session }))];
}

async function olderOrphans(engine: Engine, query: TimelineRequest, position: Position | null): Promise<Found[]> {
  const condition = gitCondition(engine, query.where ?? null);
  if (condition === null) return [];
  const rows = await engine.kysely
    .selectFrom('git_activity as g')
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .selectAll('g')
    .select('w.display_name')
    .where('g.session_id', 'is', null)
    .where('g.duplicate_of', 'is', null)
    .where(condition)
    .$if(position !== null, (select) => select.where(isBeyond(GIT_ORDER, position as Position, 'down')))
    .orderBy(GIT_ORDER.at, 'desc')
    .orderBy(GIT_ORDER.id, 'desc')
    .limit(query.limit + 1)
    .execute();
  return rows.map(({ display_name, ...row }) => ({
    kind: 'git',
    at: row.timestamp,
    workspace_name: display_name,
    git_activity: toGitRow(row),
    position: gitPosition(row),
  }));
}

const EVENT_ORDER = { at: sql.ref('g.timestamp'), id: sql.ref('g.id') };

/** Events of scripts. */
async function olderEvents(engine: Engine, query: TimelineRequest, position: Position | null): Promise<Found[]> {
  const condition = eventCondition(engine, query.where ?? null);
  if (condition === null) return [];
  const rows = await engine.kysely
    .selectFrom('events as g')
    .leftJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .select(EVENT_COLUMNS.map((column) => `g.${column}` as const))
    .select('w.display_name')
    .where(sql<boolean>`g.is_emitted`)
    .where(condition)
    .$if(position !== null, (select) => select.where(isBeyond(EVENT_ORDER, position as Position, 'down')))
    .orderBy('g.timestamp', 'desc')
    .orderBy('g.id', 'desc')
    .limit(query.limit + 1)
    .execute();
  return rows.map(({ display_name, ...row }) => ({
    kind: 'event',
    at: row.timestamp,
    workspace_name: display_name,
    event: toEvent(row),
    position: { at: row.timestamp, id: row.id },
  }));
}

/** Adds git activity to the sessions of a page: the newest few rows of each, oldest first. */
async function withGit(db: Tx, page: readonly Found[]): Promise<readonly TimelineItem[]> {
  const ids = page.flatMap((found) => (found.kind === 'session' ? [found.session.id] : []));
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom(
            db
              .selectFrom('git_activity')
              .selectAll()
              .select(
                sql<number>`row_number() OVER (PARTITION BY session_id ORDER BY timestamp DESC, order_key DESC, id)`.as(
                  'position',
                ),
              )
              .where('session_id', 'in', ids)
              .where('duplicate_of', 'is', null)
              .as('ranked'),
          )
          .selectAll()
          .where('position', '<=', MAX_GIT_ROWS_A_SESSION)
          .orderBy('timestamp')
          .orderBy('order_key')
          .orderBy('id')
          .execute();
  const bySession = Map.groupBy(rows, ({ session_id }) => session_id);
  return page.map((found) => {
    if (found.kind !== 'session') {
      const { position: _, ...item } = found;
      return item;
    }
    const git = bySession.get(found.session.id) ?? [];
    return { ...found, git_activity: git.map(({ position: _position, ...row }) => toGitRow(row)) };
  });
}

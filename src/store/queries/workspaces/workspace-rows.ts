import { sql } from 'kysely';
import type { WorkspaceDetail, WorkspacePage, WorkspaceRow, WorkspacesQuery } from '../../../api/workspaces.ts';
import { FuelError, refuseEmpty } from '../../../domain/errors.ts';
import type { Lifecycle } from '../../../domain/session.ts';
import { dollars } from '../../../domain/usage.ts';
import { normalizeRemote, workspaceKind, workspacePlace } from '../../../domain/workspace.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { Tx } from '../../engine.ts';
import { cutPage, DEVICE_NAME, decodePosition, type Position, safeSum } from '../../sql.ts';

/** Lists all workspaces with sessions, last used first; with `isAll`, empty ones too. */
export async function listWorkspaces(
  db: Tx,
  { isAll = false }: { readonly isAll?: boolean } = {},
): Promise<readonly WorkspaceRow[]> {
  const rows = await selectWorkspaces(db).execute();
  return rows
    .filter(({ sessions }) => isAll || sessions > 0)
    .map(toRow)
    .toSorted(byLastUse);
}

/** Lists them one page at a time. There are few enough to sort them here. Errors: usage. */
export async function pageWorkspaces(db: Tx, { limit, cursor, all }: WorkspacesQuery): Promise<WorkspacePage> {
  const rows = await listWorkspaces(db, { isAll: all ?? false });
  const position = cursor === undefined ? null : decodePosition(cursor);
  const rest = position === null ? rows : rows.filter((row) => isAfter(positionOf(row), position));
  const { page, next } = cutPage(rest, limit, positionOf);
  return { workspaces: page, next_cursor: next };
}

function positionOf({ last_active_at, id }: WorkspaceRow): Position {
  return { at: last_active_at ?? NEVER, id };
}

const NEVER = new Date(0).toISOString();

function isAfter(row: Position, position: Position): boolean {
  return row.at === position.at ? row.id > position.id : row.at < position.at;
}

function byLastUse(a: WorkspaceRow, b: WorkspaceRow): number {
  return isAfter(positionOf(b), positionOf(a)) ? -1 : 1;
}

function selectWorkspaces(db: Tx) {
  return db
    .selectFrom('workspaces as w')
    .leftJoin('workspaces as member', (join) => join.on(sql<boolean>`coalesce(member.merged_into, member.id) = w.id`))
    .leftJoin('sessions as s', 's.workspace_id', 'member.id')
    .select(['w.id', 'w.canonical_id', 'w.display_name', 'w.default_branch', 'w.first_seen_at'])
    .select(({ fn }) => [
      fn.count<number>('s.id').distinct().as('sessions'),
      fn.max(sql<string | null>`coalesce(s.ended_at, s.started_at)`).as('last_active_at'),
      safeSum(sql`s.cost_nanos`).as('cost_nanos'),
      sql<number>`count(CASE WHEN s.unknown_models <> '[]' THEN 1 END)`.as('unpriced_sessions'),
      sql<number>`coalesce(sum(s.tokens_in), 0)`.as('tokens_in'),
      sql<number>`coalesce(sum(s.tokens_out), 0)`.as('tokens_out'),
      sql<number>`coalesce(sum(s.cache_read_tokens), 0)`.as('cache_read_tokens'),
      sql<number>`coalesce(sum(s.cache_write_tokens), 0)`.as('cache_write_tokens'),
      sql<number>`coalesce(sum(s.duration_ms), 0)`.as('duration_ms'),
      fn.count<number>('s.device_id').distinct().as('devices'),
    ])
    .where('w.merged_into', 'is', null)
    .groupBy(['w.id', 'w.canonical_id', 'w.display_name', 'w.default_branch', 'w.first_seen_at']);
}

function toRow({
  cost_nanos,
  ...row
}: Awaited<ReturnType<ReturnType<typeof selectWorkspaces>['execute']>>[number]): WorkspaceRow {
  return {
    ...row,
    kind: workspaceKind(row.canonical_id),
    cost_estimate_usd: cost_nanos === null ? null : dollars(cost_nanos),
  };
}

/** A workspace with its folders and what was merged into it. Errors: not_found, ambiguous. */
export async function getWorkspaceDetail(db: Tx, name: string): Promise<WorkspaceDetail> {
  const { id } = await findWorkspace(db, name);
  const row = await selectWorkspaces(db).where('w.id', '=', id).executeTakeFirstOrThrow();
  const folders = await db
    .selectFrom('workspace_folders as f')
    .innerJoin('devices as d', 'd.id', 'f.device_id')
    .select([DEVICE_NAME.as('device_name'), 'f.path', 'f.worktree_name'])
    .select('f.last_seen_at')
    .where('f.workspace_id', '=', id)
    .orderBy('f.last_seen_at', 'desc')
    .orderBy('f.path')
    .execute();
  const merged = await db
    .selectFrom('workspaces')
    .select('canonical_id')
    .where('merged_into', '=', id)
    .orderBy('canonical_id')
    .execute();
  const { commits } = await db
    .selectFrom('git_activity')
    .select(({ fn }) => fn.countAll<number>().as('commits'))
    .where('workspace_id', '=', id)
    .where('type', '=', 'commit')
    .where('duplicate_of', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    ...toRow(row),
    folders,
    merged: merged.map(({ canonical_id }) => canonical_id),
    commits,
    recent_sessions: await listRecent(db, id),
  };
}

const RECENT_SESSIONS = 10;

async function listRecent(db: Tx, workspaceId: string): Promise<WorkspaceDetail['recent_sessions']> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'title', 'started_at', 'lifecycle', 'duration_ms'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(RECENT_SESSIONS)
    .execute();
  return rows.map((row) => ({ ...row, lifecycle: row.lifecycle as Lifecycle }));
}

interface Named {
  readonly id: string;
  readonly canonical_id: string;
  readonly display_name: string;
  readonly merged_into: string | null;
}

const MAX_CANDIDATES = 5;
/** Longer names are not typed by hand, so no spelling suggestions are computed for them. */
const MAX_SLIP_CHARS = 100;

/**
 * Finds a workspace by row id, canonical id (also a merged one, any spelling of a remote, and the path of a plain
 * folder), display name or unique prefix. Errors: usage; not_found and ambiguous, both with candidates.
 */
export async function findWorkspace(db: Tx, name: string): Promise<Named> {
  refuseEmpty(name, 'workspace name');
  const all = await listNamed(db);
  const ids = firstMatch(all, [...EXACT_RULES, startsWithName], name);
  const rows = ids.flatMap((id) => all.find((one) => one.id === id) ?? []);
  if (rows.length > 1) throw ambiguous(name, rows);
  if (rows[0] !== undefined) return rows[0];
  throw notFound(name, all);
}

/** The ids of the workspaces that a filter names: those of exactly this name, or else all that contain it. Errors: not_found. */
export async function matchWorkspaces(
  db: Tx,
  name: string,
  { mustExist }: { readonly mustExist: boolean },
): Promise<readonly string[]> {
  const all = await listNamed(db);
  const ids = firstMatch(all, [...EXACT_RULES, containsName], name);
  if (ids.length === 0 && mustExist) throw notFound(name, all);
  return ids;
}

function listNamed(db: Tx): Promise<Named[]> {
  return db
    .selectFrom('workspaces')
    .select(['id', 'canonical_id', 'display_name', 'merged_into'])
    .orderBy('display_name')
    .orderBy('id')
    .execute();
}

type Rule = (workspace: Named, name: string) => boolean;

/** The first rule that matches anything decides. */
function firstMatch(all: readonly Named[], rules: readonly Rule[], name: string): readonly string[] {
  for (const fits of rules) {
    const ids = new Set(all.filter((one) => fits(one, name)).map(({ id, merged_into }) => merged_into ?? id));
    if (ids.size > 0) return [...ids];
  }
  return [];
}

const EXACT_RULES: readonly Rule[] = [
  ({ id, canonical_id }, name) => id === name || canonical_id === name || workspacePlace(canonical_id) === name,
  ({ display_name }, name) => display_name === name,
  ({ canonical_id }, name) => canonical_id === normalizeRemote(name)?.canonicalId,
  ({ display_name }, name) => display_name.toLowerCase() === name.toLowerCase(),
];

function startsWithName({ id, canonical_id, display_name }: Named, name: string): boolean {
  const texts = [id, canonical_id, workspacePlace(canonical_id), display_name];
  return name !== '' && texts.some((text) => text.toLowerCase().startsWith(name.toLowerCase()));
}

function containsName(workspace: Named, name: string): boolean {
  const texts = [workspace.canonical_id, workspace.display_name];
  return startsWithName(workspace, name) || texts.some((text) => text.toLowerCase().includes(name.toLowerCase()));
}

function ambiguous(name: string, rows: readonly Named[]): FuelError {
  const shown = rows.slice(0, MAX_CANDIDATES).map(({ canonical_id }) => workspacePlace(canonical_id));
  const more = rows.length > MAX_CANDIDATES ? ', …' : '';
  return new FuelError('ambiguous', `Several workspaces match ${JSON.stringify(name)}: ${shown.join(', ')}${more}.`, {
    hint: 'Use one of these, or a longer part of the name.',
  });
}

function notFound(name: string, all: readonly Named[]): FuelError {
  const wanted = name.toLowerCase();
  const current = all.filter(({ merged_into }) => merged_into === null);
  const slips = new Set(nearest(name.slice(0, MAX_SLIP_CHARS), new Set(current.map((one) => one.display_name))));
  const near = current
    .filter(({ canonical_id, display_name }) => {
      const texts = [canonical_id.toLowerCase(), display_name.toLowerCase()];
      const isPart = texts.some((text) => text.includes(wanted) || (text.length > 2 && wanted.includes(text)));
      return isPart || slips.has(display_name);
    })
    .slice(0, MAX_CANDIDATES);
  const hint = near.length
    ? `Did you mean ${near.map(({ display_name, canonical_id }) => `${display_name} (${workspacePlace(canonical_id)})`).join(', ')}?`
    : '`fuel-code workspaces` lists them.';
  return new FuelError('not_found', `No workspace named ${JSON.stringify(name)}.`, { hint });
}

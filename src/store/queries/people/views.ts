import type { SavedView } from '../../../api/views.ts';
import { FuelError } from '../../../domain/errors.ts';
import { MAX_VIEWS, type ViewNote } from '../../../domain/saved-view.ts';
import type { Tx } from '../../engine.ts';
import { cleanText } from '../../text.ts';

type ViewFields = Pick<SavedView, 'name' | 'q' | 'sort' | 'order' | 'group'>;
type StoredView = Pick<SavedView, 'id' | 'name' | 'q' | 'created_at' | 'updated_at'> & {
  readonly sort: string | null;
  readonly sort_order: string | null;
  readonly grouped_by: string | null;
};

const COLUMNS = ['id', 'name', 'q', 'sort', 'sort_order', 'grouped_by', 'created_at', 'updated_at'] as const;

function toView({ sort_order, grouped_by, ...row }: StoredView): SavedView {
  return { ...row, order: sort_order, group: grouped_by } as SavedView;
}

function toColumns({ name, q, sort, order, group }: ViewFields) {
  return { name: cleanText(name.trim()), q: cleanText(q.trim()), sort, sort_order: order, grouped_by: group };
}

/** In the order in which they were saved. */
export async function listViews(db: Tx): Promise<readonly SavedView[]> {
  const rows = await db.selectFrom('saved_views').select(COLUMNS).orderBy('created_at').orderBy('id').execute();
  return rows.map(toView);
}

/** Run it in a transaction. Errors: conflict for a name that is in use; usage for too many views. */
export async function addView(tx: Tx, id: string, view: ViewFields, now: string): Promise<SavedView> {
  await ensureFree(tx, view.name, id);
  const { count } = await tx
    .selectFrom('saved_views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MAX_VIEWS) {
    throw new FuelError('usage', `There are already ${MAX_VIEWS} saved views.`, { hint: 'Remove one first.' });
  }
  const values = { id, ...toColumns(view), created_at: now, updated_at: now };
  return toView(await tx.insertInto('saved_views').values(values).returning(COLUMNS).executeTakeFirstOrThrow());
}

/** Run it in a transaction. Errors: not_found; conflict for a name that is in use. */
export async function changeView(tx: Tx, id: string, change: Partial<ViewFields>, now: string): Promise<SavedView> {
  const view = { ...(await getView(tx, id)), ...change };
  await ensureFree(tx, view.name, id);
  const values = { ...toColumns(view), updated_at: now };
  const select = tx.updateTable('saved_views').set(values).where('id', '=', id).returning(COLUMNS);
  return toView(await select.executeTakeFirstOrThrow());
}

/** A view as it is now, for the journal. */
export function viewNote({ updated_at, created_at, ...view }: SavedView): ViewNote {
  return { at: updated_at, what: 'view_saved', ...view, createdAt: created_at };
}

/** Applies a change from the journal; idempotent. */
export async function applyViewNote(tx: Tx, note: ViewNote): Promise<void> {
  if (note.what === 'view_removed') {
    await tx.deleteFrom('saved_views').where('id', '=', note.id).execute();
    return;
  }
  const values = { ...toColumns(note), updated_at: note.at };
  await tx
    .insertInto('saved_views')
    .values({ id: note.id, ...values, created_at: note.createdAt })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

/** Errors: not_found. */
export async function removeView(tx: Tx, id: string): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom('saved_views').where('id', '=', cleanText(id)).executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownView(id);
}

async function getView(db: Tx, id: string): Promise<SavedView> {
  const row = await db.selectFrom('saved_views').select(COLUMNS).where('id', '=', cleanText(id)).executeTakeFirst();
  if (row === undefined) throw unknownView(id);
  return toView(row);
}

function unknownView(id: string): FuelError {
  return new FuelError('not_found', `No saved view with the id ${JSON.stringify(id)}.`, {
    hint: 'GET /api/views lists them.',
  });
}

/** Names differ in more than their case. */
async function ensureFree(db: Tx, name: string, id: string): Promise<void> {
  const views = await db.selectFrom('saved_views').select(['id', 'name']).where('id', '<>', id).execute();
  const wanted = cleanText(name.trim()).toLowerCase();
  if (!views.some((view) => view.name.toLowerCase() === wanted)) return;
  throw new FuelError('conflict', `There is already a view named ${JSON.stringify(name.trim())}.`, {
    hint: 'Choose another name, or change that view.',
  });
}

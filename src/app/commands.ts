import type { AnswerOf } from '../api/endpoint.ts';
import type { BulkAnswer } from '../api/sessions.ts';
import type { Api, CommandName, InputOf, Send } from '../api/table.ts';
import type { SavedView } from '../api/views.ts';
import type { Annotation } from '../domain/annotation.ts';
import type { BudgetNote } from '../domain/budget.ts';
import { SECOND_MS } from '../domain/durations.ts';
import { toFuelError } from '../domain/errors.ts';
import { toJournal } from '../domain/journal-note.ts';
import type { Clock } from '../domain/ports.ts';
import type { ViewNote } from '../domain/saved-view.ts';
import { NANOS_PER_DOLLAR } from '../domain/usage.ts';
import type { DeviceNote, WorkspaceNote } from '../domain/workspace-note.ts';
import { ulid } from '../lib/ids.ts';
import { refreshIndexedTexts } from '../pipeline/index-session.ts';
import type { Tx } from '../store/engine.ts';
import { removeBrowserKey } from '../store/queries/devices/browser-keys.ts';
import { mergeDevices, renameDevice } from '../store/queries/devices/device-decisions.ts';
import {
  addNote,
  editNote,
  pinSession,
  removeNote,
  tagSession,
  writeOwnSummary,
  writeOwnTitle,
} from '../store/queries/people/annotations.ts';
import { removeBudget, setBudget } from '../store/queries/people/budgets.ts';
import { addView, changeView, removeView, viewNote } from '../store/queries/people/views.ts';
import { recordChanges } from '../store/queries/sessions/changes.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { markUnparsed } from '../store/queries/sessions/session-state.ts';
import { mergeWorkspaces, moveSession, renameWorkspace } from '../store/queries/workspaces/workspace-decisions.ts';
import { findWorkspace } from '../store/queries/workspaces/workspace-rows.ts';
import { issueBrowserKey } from './access-keys.ts';
import { deletionCommands } from './deletion/commands.ts';
import type { App } from './open-app.ts';
import { checkFilters } from './read-query.ts';

/**
 * One function for each command of the API, by the name of its endpoint. A session, workspace or device may be named by
 * a unique prefix. Errors: not_found, ambiguous, usage, too_large.
 */
export type Commands = { readonly [N in CommandName]: (input: InputOf<N>) => Promise<AnswerOf<Api[N]>> };

/** The same signature as the client of a server. */
export function sendTo(commands: Commands): Send {
  const call = (name: CommandName, input: object = {}) =>
    (commands[name] as (input: object) => unknown)({ params: {}, query: {}, body: null, ...input });
  return call as Send;
}

export type CommandApp = Pick<
  App,
  'config' | 'get' | 'journal' | 'blobs' | 'device' | 'openPipeline' | 'openSharing' | 'purgeDeleted'
> & {
  readonly store: Pick<App['store'], 'engine'>;
};

const DONE = { ok: true } as const;

/** Calls `onWork` when there is something to parse. */
export function createCommands(app: CommandApp, clock: Clock, onWork: () => void): Commands {
  return {
    ...sessionCommands(app, clock),
    ...viewCommands(app, clock),
    ...budgetCommands(app, clock),
    ...workspaceCommands(app, clock),
    ...workCommands(app, clock, onWork),
    ...deletionCommands(app, clock, onWork),
  };
}

type Patch = InputOf<'PATCH /sessions/:id'>['body'];

/** Annotations of sessions. */
function sessionCommands(app: CommandApp, clock: Clock) {
  const now = () => clock.now().toISOString();
  const note = async (change: (tx: Tx) => Promise<Annotation>) => {
    const { sessionId } = await annotate(app, change);
    await recordChanges(app.store.engine.kysely, [sessionId]);
  };
  const patch = async (
    session: string,
    { title, tags, add_tags, remove_tags, is_pinned, summary, workspace_id }: Patch,
  ) => {
    if (title !== undefined) await note((tx) => writeOwnTitle(tx, session, title, now()));
    if (tags !== undefined) await note((tx) => tagSession(tx, { session, mode: 'set', tags }, now()));
    if (add_tags !== undefined) await note((tx) => tagSession(tx, { session, mode: 'add', tags: add_tags }, now()));
    if (remove_tags !== undefined)
      await note((tx) => tagSession(tx, { session, mode: 'remove', tags: remove_tags }, now()));
    if (is_pinned !== undefined) await note((tx) => pinSession(tx, session, is_pinned, now()));
    if (summary !== undefined) await note((tx) => writeOwnSummary(tx, session, summary, now()));
    if (workspace_id !== undefined) await decide(app, (tx) => moveSession(tx, session, workspace_id, now()));
  };
  /** Each session is changed on its own, so that the outcome of one does not depend on the others. */
  const patchOne = async (session_id: string, change: Patch): Promise<BulkAnswer['results'][number]> => {
    try {
      await patch(session_id, change);
      return { session_id, is_changed: true, error: null };
    } catch (error) {
      const { code, message } = toFuelError(error);
      return { session_id, is_changed: false, error: { code, message } };
    }
  };
  return {
    'PATCH /sessions': async ({ body: { session_ids, ...change } }) => {
      const results: BulkAnswer['results'][number][] = [];
      for (const id of new Set(session_ids)) results.push(await patchOne(id, change));
      return { results };
    },
    'PATCH /sessions/:id': async ({ params, body }) => {
      await patch(params.id, body);
      return app.get('/sessions/:id', { params });
    },
    'POST /sessions/:id/notes': async ({ params, body: { text } }) => {
      await note((tx) => addNote(tx, { session: params.id, id: ulid(clock.now()), text }, now()));
      return app.get('/sessions/:id', { params });
    },
    'PATCH /notes/:note_id': async ({ params, body }) => {
      await note((tx) => editNote(tx, params.note_id, body.text, now()));
      return DONE;
    },
    'DELETE /notes/:note_id': async ({ params }) => {
      await note((tx) => removeNote(tx, params.note_id, now()));
      return DONE;
    },
  } satisfies Partial<Commands>;
}

/** Saved views of the list, also written to the journal. A view whose query is invalid is refused. */
function viewCommands({ store, journal }: CommandApp, clock: Clock) {
  const now = () => clock.now().toISOString();
  const record = async (note: ViewNote) => {
    await journal.append(toJournal(note));
    await journal.flush();
  };
  const save = (change: (tx: Tx) => Promise<SavedView>) =>
    store.engine.transaction(async (tx) => {
      const view = await change(tx);
      await record(viewNote(view));
      return view;
    });
  const check = (q = '') => void (q.trim() !== '' && checkFilters({ q }, { now: clock.now() }));
  return {
    'POST /views': async ({ body: { sort = null, order = null, group = null, ...view } }) => {
      check(view.q);
      const id = ulid(clock.now());
      return save((tx) => addView(tx, id, { ...view, sort, order, group }, now()));
    },
    'PATCH /views/:view_id': async ({ params, body }) => {
      check(body.q);
      return save((tx) => changeView(tx, params.view_id, body, now()));
    },
    'DELETE /views/:view_id': async ({ params }) => {
      await store.engine.transaction(async (tx) => {
        await removeView(tx, params.view_id);
        await record({ at: now(), what: 'view_removed', id: params.view_id });
      });
      return DONE;
    },
  } satisfies Partial<Commands>;
}

function budgetCommands(app: CommandApp, clock: Clock) {
  const { engine } = app.store;
  const change = (act: (tx: Tx) => Promise<BudgetNote>) =>
    engine.transaction(async (tx) => {
      await app.journal.append(toJournal(await act(tx)));
      await app.journal.flush();
    });
  return {
    'POST /budgets': async ({ body: { period, amount_usd, workspace_id }, query }) => {
      const workspace = workspace_id === undefined ? null : await findWorkspace(engine.kysely, workspace_id);
      const budget = {
        id: ulid(clock.now()),
        period,
        workspaceKey: workspace?.canonical_id ?? null,
        amountNanos: Math.round(amount_usd * NANOS_PER_DOLLAR),
      };
      await change((tx) => setBudget(tx, budget, clock.now().toISOString()));
      return app.get('/budgets', { query });
    },
    'DELETE /budgets/:budget_id': async ({ params }) => {
      await change((tx) => removeBudget(tx, params.budget_id, clock.now().toISOString()));
      return DONE;
    },
  } satisfies Partial<Commands>;
}

/** Renaming and merging of workspaces and devices, and keys of browsers. */
function workspaceCommands(app: CommandApp, clock: Clock) {
  const now = () => clock.now().toISOString();
  return {
    'PATCH /workspaces/:workspace_id': async ({ params, body: { display_name, merge_into } }) => {
      const { id } = await app.get('/workspaces/:workspace_id', { params });
      if (display_name !== undefined) await decide(app, (tx) => renameWorkspace(tx, id, display_name, now()));
      if (merge_into !== undefined) await decide(app, (tx) => mergeWorkspaces(tx, id, merge_into, now()));
      return app.get('/workspaces/:workspace_id', { params: { workspace_id: merge_into ?? id } });
    },
    'PATCH /devices/:device_id': async ({ params, body: { name, merge_into } }) => {
      const { id } = await app.get('/devices/:device_id', { params });
      if (name !== undefined) await decide(app, (tx) => renameDevice(tx, id, name, now()));
      if (merge_into !== undefined) {
        const merge = { from: id, into: merge_into, ownDeviceId: app.device.id };
        await decide(app, (tx) => mergeDevices(tx, merge, now()));
      }
      return app.get('/devices/:device_id', { params: { device_id: id } });
    },
    'POST /browser-keys': async ({ body }) => issueBrowserKey(app.store.engine.kysely, body.name, clock.now()),
    'DELETE /browser-keys/:key_id': async ({ params }) => {
      await removeBrowserKey(app.store.engine.kysely, params.key_id);
      return DONE;
    },
  } satisfies Partial<Commands>;
}

/** Sharing, parsing and archiving. */
function workCommands(app: CommandApp, clock: Clock, onWork: () => void) {
  const { engine } = app.store;
  /** Schedules a session for parsing, which also restores the rows of an archived one. */
  const reparse = async (idOrPrefix: string) => {
    const { id } = await findSession(engine.kysely, idOrPrefix);
    await markUnparsed(engine.kysely, [id], clock.now().toISOString());
    onWork();
    return DONE;
  };
  return {
    'POST /sessions/:id/shares': async ({ params, body: { expires_in, note } }) => {
      const { makeShare } = await import('../share/make-share.ts');
      const share = await makeShare(await app.openSharing(), params.id, { expiresInMs: expires_in * SECOND_MS, note });
      return { ...share, url: share.path };
    },
    'DELETE /shares/:share_id': async ({ params }) => {
      const { revokeShare } = await import('../share/stored-shares.ts');
      await revokeShare({ engine, blobs: app.blobs }, params.share_id);
      return DONE;
    },
    'POST /sessions/:id/reparse': ({ params }) => reparse(params.id),
    'POST /sessions/:id/restore': ({ params }) => reparse(params.id),
    'POST /sessions/:id/archive': async ({ params }) => {
      const { id } = await findSession(engine.kysely, params.id);
      const { archiveSession } = await import('../pipeline/archive-session.ts');
      return { outcome: (await archiveSession(await app.openPipeline(), id)) ? 'archived' : 'not_now' };
    },
  } satisfies Partial<Commands>;
}

/** Stores a decision and writes it to the journal, so that a rebuild restores it. */
async function decide(
  { store, journal }: CommandApp,
  change: (tx: Tx) => Promise<WorkspaceNote | DeviceNote>,
): Promise<void> {
  await store.engine.transaction(async (tx) => {
    await journal.append(toJournal(await change(tx)));
    await journal.flush();
  });
}

/** Stores an annotation and writes it to the journal, so that a rebuild restores it. */
export async function annotate(
  { store, journal }: Pick<App, 'journal'> & { readonly store: Pick<App['store'], 'engine'> },
  change: (tx: Tx) => Promise<Annotation>,
): Promise<Annotation> {
  const annotation = await store.engine.transaction(async (tx) => {
    const made = await change(tx);
    await journal.append(toJournal(made));
    await journal.flush();
    return made;
  });
  if (annotation.what !== 'tagged' && annotation.what !== 'pinned') {
    await refreshIndexedTexts(store.engine, [annotation.sessionId]);
  }
  return annotation;
}

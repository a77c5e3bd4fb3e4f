import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { SessionDetail, SessionPage, SessionRow } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import { CLIENTS } from '../api/client.ts';
import { useRealm } from '../routing/realm.ts';
import { showToast } from '../shell/toasts.ts';

/** What a person can change about a session. */
export interface SessionChange {
  readonly title?: string | null;
  readonly summary?: string | null;
  readonly add_tags?: readonly string[];
  readonly remove_tags?: readonly string[];
  readonly is_pinned?: boolean;
}

type RowChange = (row: SessionRow) => SessionRow;

/** Shows a change in every list that is loaded, without reading the lists again. */
function changeRows(queries: QueryClient, base: ApiBase, ids: ReadonlySet<string>, change: RowChange): void {
  const inPage = (page: SessionPage): SessionPage => ({
    ...page,
    sessions: page.sessions.map((row) => (ids.has(row.id) ? change(row) : row)),
  });
  queries.setQueriesData<InfiniteData<SessionPage>>(
    { queryKey: [base, 'list'] },
    (data) => data && { ...data, pages: data.pages.map(inPage) },
  );
  queries.setQueriesData<SessionPage>({ queryKey: [base, 'sessions', 'first'] }, (data) => data && inPage(data));
}

/** Takes over a session as the server returned it. */
function showSession(queries: QueryClient, base: ApiBase, session: SessionDetail): void {
  queries.setQueryData([base, 'session', session.id], session);
  const { title, summary, summary_kind, tags, is_pinned } = session;
  changeRows(queries, base, new Set([session.id]), (row) => ({
    ...row,
    title,
    summary,
    summary_kind,
    tags,
    is_pinned,
  }));
}

/** Changes of one session. Errors are shown as a message; what was typed stays in its field. */
export function useAnnotate(id: string) {
  const { base } = useRealm();
  const queries = useQueryClient();
  const done = (session: SessionDetail) => showSession(queries, base, session);
  const onError = (error: Error) => showToast(error.message);
  const patch = useMutation({
    mutationFn: ({ add_tags, remove_tags, ...rest }: SessionChange) =>
      CLIENTS[base].patch('/sessions/:id', {
        params: { id },
        body: {
          ...rest,
          ...(add_tags === undefined ? {} : { add_tags: [...add_tags] }),
          ...(remove_tags === undefined ? {} : { remove_tags: [...remove_tags] }),
        },
      }),
    onSuccess: done,
    onError,
  });
  const addNote = useMutation({
    mutationFn: (text: string) => CLIENTS[base].post('/sessions/:id/notes', { params: { id }, body: { text } }),
    onSuccess: done,
    onError,
  });
  const reload = () => queries.invalidateQueries({ queryKey: [base, 'session', id] });
  const editNote = useMutation({
    mutationFn: ({ noteId, text }: { readonly noteId: string; readonly text: string }) =>
      CLIENTS[base].patch('/notes/:note_id', { params: { note_id: noteId }, body: { text } }),
    onSuccess: reload,
    onError,
  });
  const removeNote = useMutation({
    mutationFn: (noteId: string) => CLIENTS[base].delete('/notes/:note_id', { params: { note_id: noteId } }),
    onSuccess: reload,
    onError,
  });
  return { patch, addNote, editNote, removeNote };
}

interface BulkChange {
  readonly ids: readonly string[];
  readonly add_tags?: readonly string[];
  readonly remove_tags?: readonly string[];
  readonly is_pinned?: boolean;
}

/** Changes of several sessions in one request. */
export function useBulk() {
  const { base } = useRealm();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, add_tags, remove_tags, is_pinned }: BulkChange) =>
      CLIENTS[base].patch('/sessions', {
        body: {
          session_ids: [...ids],
          ...(add_tags === undefined ? {} : { add_tags: [...add_tags] }),
          ...(remove_tags === undefined ? {} : { remove_tags: [...remove_tags] }),
          ...(is_pinned === undefined ? {} : { is_pinned }),
        },
      }),
    onSuccess: ({ results }, { add_tags = [], remove_tags = [], is_pinned }) => {
      const changed = new Set(results.filter(({ is_changed }) => is_changed).map(({ session_id }) => session_id));
      const added = add_tags.map((tag) => tag.trim().toLowerCase());
      changeRows(queries, base, changed, (row) => ({
        ...row,
        is_pinned: is_pinned ?? row.is_pinned,
        tags: [...new Set([...row.tags, ...added])].filter((tag) => !remove_tags.includes(tag)).toSorted(),
      }));
      for (const id of changed) void queries.invalidateQueries({ queryKey: [base, 'session', id] });
      void queries.invalidateQueries({ queryKey: [base, 'sessions', 'facets'] });
      const failed = results.filter(({ error }) => error !== null);
      showToast(
        failed.length === 0 ? `Changed ${changed.size}` : failureText(failed.length, failed[0]?.error?.message),
      );
    },
    onError: (error) => showToast(error.message),
  });
}

function failureText(count: number, reason = ''): string {
  return `${count} could not be changed: ${reason}`;
}

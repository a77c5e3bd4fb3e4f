import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listDeletion, liveWarning } from '../../reading/deletion.ts';
import { formatDateTime, plural } from '../../reading/format.ts';
import { CLIENTS } from '../api/client.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Failure, Loading } from '../shell/notice.tsx';
import { showToast } from '../shell/toasts.ts';
import styles from './delete-dialog.module.css';
import { useUndoDelete } from './use-undo-delete.ts';

const client = CLIENTS['/api'];

interface DeleteDialogProps {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Lists what goes and what stays before anything is deleted. */
export function DeleteDialog({ ids, onClose, onDeleted }: DeleteDialogProps) {
  const [isNow, setNow] = useState(false);
  const [isTranscript, setTranscript] = useState(false);
  const { previews, error } = usePreviews(ids);
  const remove = useDelete(onDeleted);
  const failure = error ?? remove.error;
  const lists = previews === null ? null : listDeletion(previews, isTranscript);
  const warning = previews === null ? null : liveWarning(previews);
  return (
    <Dialog title={`Delete ${plural(ids.length, 'session')}?`} onClose={onClose}>
      {failure !== null && <Failure error={failure} />}
      {lists === null && error === null && <Loading what="Checking what would go" />}
      {lists !== null && (
        <div className={styles['lists']}>
          <List title="Will be deleted" items={lists.goes} />
          <List title="Will be kept" items={lists.stays} />
        </div>
      )}
      {warning !== null && <p className="warning">{warning}</p>}
      <label className={styles['choice']}>
        <input type="checkbox" checked={isTranscript} onChange={() => setTranscript(!isTranscript)} />
        Also remove the files from the Claude home of this machine
      </label>
      <label className={styles['choice']}>
        <input type="checkbox" checked={isNow} onChange={() => setNow(!isNow)} />
        Remove everything immediately; this cannot be undone
      </label>
      <div className={styles['acts']}>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className={`button ${styles['delete']}`}
          disabled={lists === null || remove.isPending}
          onClick={() => remove.mutate({ session_ids: [...ids], now: isNow, transcript: isTranscript })}
        >
          {isNow ? 'Delete for good' : 'Delete'}
        </button>
      </div>
    </Dialog>
  );
}

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  );
}

function usePreviews(ids: readonly string[]) {
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['/api', 'deletion', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.get('/sessions/:id/deletion', { params: { id }, signal }),
      gcTime: 0,
    })),
  });
  const previews = answers.flatMap(({ data }) => data ?? []);
  return {
    previews: previews.length === ids.length ? previews : null,
    error: answers.find(({ error }) => error !== null)?.error ?? null,
  };
}

interface Request {
  readonly session_ids: string[];
  readonly now: boolean;
  readonly transcript: boolean;
}

function useDelete(onDeleted: () => void) {
  const queries = useQueryClient();
  const undo = useUndoDelete();
  return useMutation({
    mutationFn: (body: Request) => client.post('/deletions', { body }),
    onSuccess: ({ results, is_removed }) => {
      const failed = results.find(({ error }) => error !== null);
      const until = results.find(({ purge_at }) => purge_at !== null)?.purge_at ?? null;
      if (failed?.error) showToast(failed.error.message);
      else if (is_removed || until === null) showToast(`${plural(results.length, 'session')} deleted.`);
      else {
        const ids = results.map(({ session_id }) => session_id);
        const text = `${plural(ids.length, 'session')} deleted. Undo until: ${formatDateTime(until, new Date())}.`;
        showToast(text, { label: 'Undo', run: () => undo.mutate(ids) });
      }
      onDeleted();
      void queries.invalidateQueries();
    },
  });
}

import { useQuery } from '@tanstack/react-query';
import type { DeletedSession } from '../../api/deletions.ts';
import { formatDateTime } from '../../reading/format.ts';
import { CLIENTS } from '../api/client.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Failure, Loading } from '../shell/notice.tsx';
import styles from './delete-dialog.module.css';
import { useUndoDelete } from './use-undo-delete.ts';

const client = CLIENTS['/api'];

/** Deleted sessions, and a button for those that can still be brought back. */
export function DeletedDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['/api', 'deletions'],
    queryFn: ({ signal }) => client.get('/deletions', { signal }),
  });
  const undo = useUndoDelete();
  const failure = error ?? undo.error;
  return (
    <Dialog title="Deleted sessions" onClose={onClose}>
      {failure !== null && <Failure error={failure} />}
      {data === undefined && error === null && <Loading what="Loading" />}
      {data?.deletions.length === 0 && <p>No session was deleted.</p>}
      <ul className={styles['deleted']}>
        {data?.deletions.map((row) => (
          <Deleted
            key={row.session_id}
            row={row}
            isBusy={undo.isPending}
            onUndo={() => undo.mutate([row.session_id])}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface DeletedProps {
  readonly row: DeletedSession;
  readonly isBusy: boolean;
  readonly onUndo: () => void;
}

/** Only the id of a deleted session is known. */
function Deleted({ row, isBusy, onUndo }: DeletedProps) {
  return (
    <li>
      <span>
        <code>{row.session_id}</code>
        <span className={styles['times']}>{stateOf(row, new Date())}</span>
      </span>
      {row.state === 'waiting' && (
        <button
          type="button"
          className="button"
          disabled={isBusy}
          aria-label={`Undo the deletion of ${row.session_id}`}
          onClick={onUndo}
        >
          Undo
        </button>
      )}
    </li>
  );
}

function stateOf({ state, deleted_at, purge_at, purged_at }: DeletedSession, now: Date): string {
  const deleted = `Deleted ${formatDateTime(deleted_at, now)}`;
  if (state === 'restoring') return `${deleted}, being brought back`;
  if (state === 'waiting') return `${deleted}, can be brought back until ${formatDateTime(purge_at, now)}`;
  return `${deleted}, removed ${formatDateTime(purged_at ?? purge_at, now)}`;
}

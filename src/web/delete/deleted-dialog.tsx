import type { DeletedSession } from '../../api/deletions.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Failure, Loading } from '../shell/notice.tsx';
import styles from './delete-dialog.module.css';
import { UndoButton } from './deleted-notice.tsx';
import { deletionText, useDeletions } from './deletions.ts';
import { useUndoDelete } from './use-undo-delete.ts';

/** Deleted sessions, and a button for those that can still be brought back. */
export function DeletedDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useDeletions();
  const undo = useUndoDelete();
  const failure = error ?? undo.error;
  return (
    <Dialog title="Deleted sessions" onClose={onClose}>
      {failure !== null && <Failure error={failure} />}
      {data === undefined && error === null && <Loading what="Loading" />}
      {data?.deletions.length === 0 && <p>No session was deleted.</p>}
      <ul className={styles['deleted']}>
        {data?.deletions.map((row) => (
          <Deleted key={row.session_id} row={row} undo={undo} />
        ))}
      </ul>
    </Dialog>
  );
}

interface DeletedProps {
  readonly row: DeletedSession;
  readonly undo: ReturnType<typeof useUndoDelete>;
}

/** Only the id of a deleted session is known. */
function Deleted({ row, undo }: DeletedProps) {
  return (
    <li>
      <span>
        <code>{row.session_id}</code>
        <span className={styles['times']}>{deletionText(row, new Date())}</span>
      </span>
      {row.state === 'waiting' && <UndoButton row={row} undo={undo} />}
    </li>
  );
}

import type { DeletedSession } from '../../api/deletions.ts';
import { PageLink } from '../routing/page-link.tsx';
import { Failure, Notice } from '../shell/notice.tsx';
import { deletionText, useDeletions } from './deletions.ts';
import styles from './delete-dialog.module.css';
import { useUndoDelete } from './use-undo-delete.ts';

/** In place of a session that was deleted; `id` may be the start of its id. */
export function DeletedNotice({ id }: { readonly id: string }) {
  const { data, error } = useDeletions();
  const undo = useUndoDelete();
  const failure = error ?? undo.error;
  const row = data?.deletions.find(({ session_id }) => session_id.startsWith(id));
  return (
    <Notice title="This session was deleted">
      {failure !== null && <Failure error={failure} />}
      {row !== undefined && <p>{deletionText(row, new Date())}</p>}
      <p className={styles['next']}>
        {row?.state === 'waiting' && <UndoButton row={row} undo={undo} />}
        <PageLink page={{ kind: 'list' }}>All sessions</PageLink>
      </p>
    </Notice>
  );
}

interface UndoButtonProps {
  readonly row: DeletedSession;
  readonly undo: ReturnType<typeof useUndoDelete>;
}

export function UndoButton({ row, undo }: UndoButtonProps) {
  return (
    <button
      type="button"
      className="button"
      disabled={undo.isPending}
      aria-label={`Undo the deletion of ${row.session_id}`}
      onClick={() => undo.mutate([row.session_id])}
    >
      Undo
    </button>
  );
}

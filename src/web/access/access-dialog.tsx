import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BrowserKey } from '../../api/browser-keys.ts';
import { formatDateTime } from '../../reading/format.ts';
import { CLIENTS } from '../api/client.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Failure, Loading } from '../shell/notice.tsx';
import { ownKeyId } from './access.ts';
import styles from './access-dialog.module.css';

const client = CLIENTS['/api'];
const KEYS = ['/api', 'browser-keys'] as const;

/** The browsers that may use the page, each with a button to revoke its access. */
export function AccessDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => client.get('/browser-keys', { signal }),
  });
  const revoke = useMutation({
    mutationFn: (key_id: string) => client.delete('/browser-keys/:key_id', { params: { key_id } }),
    // Without a key of its own, the page locks itself with its next requests.
    onSuccess: (_, id) => (id === ownKeyId() ? queries.resetQueries() : queries.invalidateQueries({ queryKey: KEYS })),
  });
  const failure = error ?? revoke.error;
  return (
    <Dialog title="Browsers with access" onClose={onClose}>
      <p className={styles.about}>
        A browser gets access when the URL that <code>fuel-code</code> prints is opened in it, and keeps it until you
        revoke it here or with <code>fuel-code devices revoke-browser</code>.
      </p>
      {failure !== null && <Failure error={failure} />}
      {data === undefined && error === null && <Loading what="Loading" />}
      <ul className={styles.keys}>
        {data?.keys.map((key) => (
          <Key key={key.id} row={key} isBusy={revoke.isPending} onRevoke={() => revoke.mutate(key.id)} />
        ))}
      </ul>
    </Dialog>
  );
}

interface KeyProps {
  readonly row: BrowserKey;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}

function Key({ row, isBusy, onRevoke }: KeyProps) {
  const now = new Date();
  const isOwn = row.id === ownKeyId();
  return (
    <li className={styles.key}>
      <span>
        <bdi className={styles.name}>{row.name}</bdi>
        {isOwn && <span className={styles.own}>this browser</span>}
        <span className={styles.times}>
          Added: {formatDateTime(row.created_at, now)}
          {row.last_used_at !== null && ` · Last used: ${formatDateTime(row.last_used_at, now)}`}
        </span>
      </span>
      <button type="button" className="button" disabled={isBusy} aria-label={`Revoke ${row.name}`} onClick={onRevoke}>
        Revoke
      </button>
    </li>
  );
}

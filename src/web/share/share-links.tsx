import type { Share } from '../../api/shares.ts';
import { formatDateTime } from '../../reading/format.ts';
import { Failure } from './failure.tsx';
import { useRevokeShare, useShares } from './share-queries.ts';

/** The active links to a session, each with a button to revoke it. */
export function ShareLinks({ id }: { readonly id: string }) {
  const { data: shares = [], error } = useShares(id);
  const revoke = useRevokeShare(id);
  if (error !== null) return <Failure error={error} />;
  if (shares.length === 0) return null;
  return (
    <div>
      <h3>Links to this session</h3>
      <ul className="share-list">
        {shares.map((share) => (
          <Item key={share.id} share={share} isBusy={revoke.isPending} onRevoke={() => revoke.mutate(share.id)} />
        ))}
      </ul>
      {revoke.error !== null && <Failure error={revoke.error} />}
    </div>
  );
}

interface ItemProps {
  readonly share: Share;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}

function Item({ share, isBusy, onRevoke }: ItemProps) {
  const now = new Date();
  return (
    <li>
      <span>
        Shared {formatDateTime(share.created_at, now)}, expires {formatDateTime(share.expires_at, now)}
        {share.note !== null && <bdi> · {share.note}</bdi>}
      </span>
      <button type="button" className="button" disabled={isBusy} onClick={onRevoke}>
        Revoke
      </button>
    </li>
  );
}

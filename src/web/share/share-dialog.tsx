import { type ReactNode, useRef, useState } from 'react';
import type { SharePreview, Share } from '../../api/shares.ts';
import { formatBytes, plural, formatDateTime } from '../../reading/format.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Failure, Loading } from '../shell/notice.tsx';
import { useMakeShare, useSavePage, useSharePreview, useRevokeShare, useShares } from './share-queries.ts';
import styles from './share.module.css';

interface ShareDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** Shows what others would see of a session, and creates the link. */
export function ShareDialog({ id, onClose }: ShareDialogProps) {
  const { data: preview, error } = useSharePreview(id);
  return (
    <Dialog title="Share this session" onClose={onClose}>
      {error !== null && <Failure error={error} />}
      {error === null && preview === undefined && <Loading what="Checking for secrets" />}
      {preview !== undefined && <Offer id={id} preview={preview} />}
      <ShareLinks id={id} />
    </Dialog>
  );
}

const DAY_SECONDS = 24 * 60 * 60;
const EXPIRIES = [
  ['1 day', DAY_SECONDS],
  ['7 days', 7 * DAY_SECONDS],
  ['30 days', 30 * DAY_SECONDS],
  ['1 year', 365 * DAY_SECONDS],
] as const;

function Offer({ id, preview }: { readonly id: string; readonly preview: SharePreview }) {
  const [expiry, setExpiry] = useState<number>(7 * DAY_SECONDS);
  const make = useMakeShare(id);
  const save = useSavePage(id);
  return (
    <>
      <p>
        Page size: {formatBytes(preview.size_bytes)}. It shows the current conversation with all tool calls and results.
        Anyone with the link can read it.
      </p>
      <Replaced redacted={preview.redacted} />
      <div className={styles['acts']}>
        <label>
          Expires after{' '}
          <select value={expiry} onChange={(event) => setExpiry(Number(event.target.value))}>
            {EXPIRIES.map(([name, seconds]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="button" disabled={make.isPending} onClick={() => make.mutate(expiry)}>
          Create link
        </button>
        <button
          type="button"
          className="button"
          disabled={save.isPending}
          onClick={() => save.mutate(preview.file_name)}
        >
          Save as file
        </button>
      </div>
      {isLocal() && (
        <p className="muted">This server is only reachable from this machine, so its links only work here.</p>
      )}
      {(make.error ?? save.error) !== null && <Failure error={(make.error ?? save.error) as Error} />}
      {make.data !== undefined && <Link address={location.origin + make.data.path} />}
    </>
  );
}

function isLocal(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);
}

function Replaced({ redacted }: Pick<SharePreview, 'redacted'>): ReactNode {
  const kinds = Object.entries(redacted);
  const count = kinds.reduce((sum, [, each]) => sum + each, 0);
  if (count === 0) return <p>No secrets found. Check the page for anything else you want to keep private.</p>;
  return (
    <div>
      <p>
        {plural(count, 'private text is', 'private texts are')} replaced. Check the page for anything else you want to
        keep private.
      </p>
      <ul className={styles['kinds']}>
        {kinds.map(([kind, each]) => (
          <li key={kind}>
            {kind.replaceAll('-', ' ')} <span>{each}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The secret is shown only once, so it has to be copied now. */
function Link({ address }: { readonly address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [label, setLabel] = useState('Copy');
  const copy = async () => {
    field.current?.select();
    setLabel((await hasCopied(address)) ? 'Copied' : 'Press Ctrl+C');
  };
  return (
    <div className={styles['link']}>
      <input ref={field} readOnly value={address} aria-label="Share link" onFocus={(event) => event.target.select()} />
      <button type="button" className="button" onClick={() => void copy()}>
        {label}
      </button>
    </div>
  );
}

/**
 * Browsers allow this only on HTTPS and on loopback; elsewhere the link is selected and the user presses a key to copy
 * it.
 */
async function hasCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The active links to a session, each with a button to revoke it. */
function ShareLinks({ id }: { readonly id: string }) {
  const { data: shares = [], error } = useShares(id);
  const revoke = useRevokeShare(id);
  if (error !== null) return <Failure error={error} />;
  if (shares.length === 0) return null;
  return (
    <div className={styles['part']}>
      <h3>Links to this session</h3>
      <ul className={styles['list']}>
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
        Shared: {formatDateTime(share.created_at, now)} · Expires: {formatDateTime(share.expires_at, now)}
        {share.note !== null && <bdi> · {share.note}</bdi>}
      </span>
      <button type="button" className="button" disabled={isBusy} onClick={onRevoke}>
        Revoke
      </button>
    </li>
  );
}

import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { SharePreview } from '../../api/shares.ts';
import { formatBytes, plural } from '../../reading/format.ts';
import { Loading } from '../shell/notice.tsx';
import { Failure } from './failure.tsx';
import { ShareLinks } from './share-links.tsx';
import { useMakeShare, useSavePage, useSharePreview } from './share-queries.ts';

interface ShareDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** What others would see of a session, and the link to it. */
export function ShareDialog({ id, onClose }: ShareDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { data: preview, error } = useSharePreview(id);
  return (
    <dialog ref={dialog} className="share" aria-labelledby="share-title" onClose={onClose}>
      <h2 id="share-title">Share this session</h2>
      {error !== null && <Failure error={error} />}
      {error === null && preview === undefined && <Loading what="Looking for secrets" />}
      {preview !== undefined && <Offer id={id} preview={preview} />}
      <ShareLinks id={id} />
      <form method="dialog">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </dialog>
  );
}

const DAY_SECONDS = 24 * 60 * 60;
const EXPIRIES = [
  ['One day', DAY_SECONDS],
  ['Seven days', 7 * DAY_SECONDS],
  ['30 days', 30 * DAY_SECONDS],
  ['A year', 365 * DAY_SECONDS],
] as const;

function Offer({ id, preview }: { readonly id: string; readonly preview: SharePreview }) {
  const [expiry, setExpiry] = useState<number>(7 * DAY_SECONDS);
  const make = useMakeShare(id);
  const save = useSavePage(id);
  return (
    <>
      <p>
        A page of {formatBytes(preview.size_bytes)}: the conversation as it is now, with every call and result. Whoever
        has the link can read it.
      </p>
      <Replaced redacted={preview.redacted} />
      <div className="share-acts">
        <label>
          Works for{' '}
          <select value={expiry} onChange={(event) => setExpiry(Number(event.target.value))}>
            {EXPIRIES.map(([name, seconds]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="button" disabled={make.isPending} onClick={() => make.mutate(expiry)}>
          Make a link
        </button>
        <button
          type="button"
          className="button"
          disabled={save.isPending}
          onClick={() => save.mutate(preview.file_name)}
        >
          Save as a file
        </button>
      </div>
      {isLocal() && <p className="muted">This server is reached from this machine only, and so are its links.</p>}
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
  if (count === 0) return <p>Nothing in it looks like a secret. What else should stay with you, only you know.</p>;
  return (
    <div>
      <p>{plural(count, 'text is', 'texts are')} replaced. What else should stay with you, only you know.</p>
      <ul className="share-kinds">
        {kinds.map(([kind, each]) => (
          <li key={kind}>
            {kind.replaceAll('-', ' ')} <span>{each}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The secret is told once: it can be copied now or never. */
function Link({ address }: { readonly address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [label, setLabel] = useState('Copy');
  const copy = async () => {
    field.current?.select();
    setLabel((await hasCopied(address)) ? 'Copied' : 'Press Ctrl+C');
  };
  return (
    <div className="share-link">
      <input ref={field} readOnly value={address} aria-label="The link" onFocus={(event) => event.target.select()} />
      <button type="button" className="button" onClick={() => void copy()}>
        {label}
      </button>
    </div>
  );
}

/** Browsers allow it on https and on loopback only; elsewhere the link is selected, and a key copies it. */
async function hasCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

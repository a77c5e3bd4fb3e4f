import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import type { StatusReport } from '../../api/server.ts';
import { FuelError } from '../../domain/errors.ts';
import { PageLink } from '../routing/page-link.tsx';

interface NoticeProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Notice({ title, children }: NoticeProps) {
  return (
    <main className="notice-page">
      <div className="notice-card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      {what}…
    </p>
  );
}

/** Our messages mark commands with backticks. */
export function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

export function ErrorNotice({ error }: { readonly error: Error }) {
  const hint = error instanceof FuelError ? (error.hint ?? null) : null;
  const isMissing = error instanceof FuelError && error.code === 'not_found';
  const retry = useRetry();
  return (
    <Notice title={isMissing ? 'Not found' : 'Something went wrong'}>
      <p role="alert">{error.message}</p>
      {hint !== null && (
        <p>
          <WithCode text={hint} />
        </p>
      )}
      <p>
        {isMissing ? (
          <PageLink className="button" page={{ kind: 'list' }}>
            Sessions
          </PageLink>
        ) : (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </Notice>
  );
}

/** Asks again for what failed; a fault of the page itself needs a fresh start. */
function useRetry(): () => void {
  const client = useQueryClient();
  return () => {
    const failed = client.getQueryCache().findAll({ predicate: ({ state }) => state.status === 'error' });
    if (failed.length === 0) window.location.reload();
    for (const { queryKey } of failed) void client.resetQueries({ queryKey, exact: true });
  };
}

/** Shown without a key, and with one that is wrong or was revoked; another tab that gets access unlocks it. */
export function LockedNotice({ error }: { readonly error: Error | null }) {
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset['locked'] = 'true';
    return () => void delete dataset['locked'];
  }, []);
  return (
    <Notice title="This browser has no access">
      {error !== null && <p role="alert">{reasonOf(error)}</p>}
      <p>
        Run <code>fuel-code</code> in your terminal and open the URL that it prints; it ends in <code>#token=…</code>
      </p>
      <p className="muted">
        You need to do this once per browser. After that, new tabs, bookmarks and links to sessions open directly.
      </p>
    </Notice>
  );
}

function reasonOf(error: Error): string {
  const isLimited = error instanceof FuelError && error.code === 'rate_limited';
  return isLimited ? error.message : 'The access key of this browser is not valid for this server, or it was revoked.';
}

export function UnknownAddress() {
  return (
    <Notice title="Page not found">
      <p>
        There is nothing at <code className="path">{window.location.pathname}</code>.
      </p>
      <p>
        <PageLink className="button" page={{ kind: 'list' }}>
          Sessions
        </PageLink>
      </p>
    </Notice>
  );
}

export function EmptyNotice({ status }: { readonly status: StatusReport }) {
  return (
    <Notice title="No sessions">
      <p>
        None are stored, and {status.claude_home_exists ? 'there are no new ones in ' : 'there is no folder '}
        <code className="path">{status.claude_home}</code>.
      </p>
      <p>
        As soon as you use Claude Code, its sessions appear here and are kept. If your sessions are in another folder,
        run <code className="path">CLAUDE_CONFIG_DIR=/that/folder fuel-code</code>.
      </p>
      <p>
        <PageLink className="button" realm="demo" page={{ kind: 'list' }}>
          View demo
        </PageLink>
      </p>
      <p className="muted">The demo contains sample sessions in a separate data folder.</p>
    </Notice>
  );
}

export function Failure({ error }: { readonly error: Error }) {
  return (
    <p className="warning" role="alert">
      {error.message}
    </p>
  );
}

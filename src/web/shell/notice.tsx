import type { ReactNode } from 'react';
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
  return (
    <Notice title="Something went wrong">
      <p role="alert">{error.message}</p>
      {hint !== null && (
        <p>
          <WithCode text={hint} />
        </p>
      )}
    </Notice>
  );
}

/** Shown for a missing or wrong token. */
export function LockedNotice() {
  return (
    <Notice title="Access token required">
      <p>
        To view your sessions, open the URL that <code>fuel-code</code> prints. It ends in <code>#token=…</code>
      </p>
      <p>
        Run <code>fuel-code</code> again in your terminal and open that URL, once per tab.
      </p>
    </Notice>
  );
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
    <Notice title="No sessions yet">
      <p>
        {status.claude_home_exists ? 'No Claude Code transcripts found in ' : 'No Claude Code folder found at '}
        <code className="path">{status.claude_home}</code>.
      </p>
      <p>
        Use Claude Code once, then run <code>fuel-code</code> again: all sessions appear here and are kept. If yours are
        elsewhere, run <code>CLAUDE_CONFIG_DIR=/that/folder fuel-code</code>.
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

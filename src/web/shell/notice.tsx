import type { ReactNode } from 'react';
import type { StatusReport } from '../../api/answers/server.ts';
import { FuelError } from '../../domain/errors.ts';

interface NoticeProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Notice({ title, children }: NoticeProps) {
  return (
    <div className="notice-page">
      <div className="notice-card">
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      {what}…
    </p>
  );
}

/** Texts of ours mark commands with backticks. */
export function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

export function ErrorNotice({ error }: { readonly error: Error }) {
  const hint = error instanceof FuelError ? (error.hint ?? null) : null;
  return (
    <Notice title="That did not work">
      <p role="alert">{error.message}</p>
      {hint !== null && (
        <p>
          <WithCode text={hint} />
        </p>
      )}
    </Notice>
  );
}

/** No token or a wrong one: how to get in. */
export function LockedNotice() {
  return (
    <Notice title="This page needs its key">
      <p>
        Your sessions are shown only to a browser that was opened with the address that <code>fuel-code</code> prints;
        it ends in <code>#token=…</code>
      </p>
      <p>
        Run <code>fuel-code</code> again in your terminal and open that address. Each tab needs it once.
      </p>
    </Notice>
  );
}

export function EmptyNotice({ status }: { readonly status: StatusReport }) {
  return (
    <Notice title="No sessions yet">
      <p>
        {status.claude_home_exists ? 'There are no Claude Code transcripts in ' : 'There is no Claude Code folder at '}
        <code className="path">{status.claude_home}</code>.
      </p>
      <p>
        Use Claude Code once, then run <code>fuel-code</code> again: every session appears here and is kept. If yours
        live elsewhere, start with <code>CLAUDE_CONFIG_DIR=/that/folder fuel-code</code>.
      </p>
      <p>
        <a className="button" href="#/demo/">
          Look at a demo
        </a>
      </p>
      <p className="muted">The demo is a small home of made-up sessions in a folder of its own.</p>
    </Notice>
  );
}

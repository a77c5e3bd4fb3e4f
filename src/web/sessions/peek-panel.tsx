import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions.ts';
import {
  formatCompact,
  formatCost,
  formatNanos,
  formatDateTime,
  formatDuration,
  formatExact,
  plural,
  shortModel,
  withoutCodeMarks,
} from '../../reading/format.ts';
import { withoutFolder } from '../../reading/call-summary.ts';
import { titleOf } from '../../reading/names.ts';
import { costTitle, STATE_LABELS, stateOf, workspaceNameOf } from '../../reading/session-facts.ts';
import { EditableSummary, EditableTitle, Notes, PinButton, Tags } from '../annotate/annotations.tsx';
import { CLIENTS } from '../api/client.ts';
import { useSession } from '../api/queries.ts';
import { PathText } from '../items/path-text.tsx';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import styles from './peek-panel.module.css';

const SHOWN_PROMPTS = 20;
const SHOWN_FILES = 12;
const MAX_FILES = 200;

interface PeekPanelProps {
  /** Null until a session is chosen. */
  readonly id: string | null;
  /** Null where the panel is always there. */
  readonly onClose: (() => void) | null;
}

/** A look into a session beside the list: what it was about, its prompts and its files. */
export function PeekPanel({ id, onClose }: PeekPanelProps) {
  return (
    <aside className={`scroll no-print ${styles['panel']}`} aria-label="Session preview" tabIndex={0}>
      {onClose !== null && (
        <button type="button" className={styles['close']} aria-label="Close preview" onClick={onClose}>
          <X size={18} aria-hidden="true" />
        </button>
      )}
      {id === null ? (
        <p className={styles['empty']}>Choose a session to look into it.</p>
      ) : (
        <Preview key={id} id={id} />
      )}
    </aside>
  );
}

function Preview({ id }: { readonly id: string }) {
  const { base } = useRealm();
  const { data: session, error } = useSession(base, id);
  if (session === undefined) return <p className={styles['empty']}>{error?.message ?? 'Loading…'}</p>;
  return (
    <>
      <header className={styles['head']}>
        <h2 dir="auto">
          <EditableTitle session={session}>{titleOf(session)}</EditableTitle>
        </h2>
        <PinButton session={session} />
      </header>
      <Facts session={session} />
      <Tags session={session} />
      <p className={styles['open']}>
        <PageLink className="button" page={{ kind: 'session', id }}>
          Open session
        </PageLink>
      </p>
      <Part title="Summary">
        <EditableSummary session={session} />
      </Part>
      <Prompts session={session} />
      <Files session={session} />
      <Part title="Notes">
        <Notes session={session} />
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles['part']}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Facts({ session }: { readonly session: SessionDetail }) {
  const facts = [
    STATE_LABELS[stateOf(session)],
    workspaceNameOf(session),
    session.git_branch,
    shortModel(session.model),
    formatDuration(session.duration_ms),
    plural(session.total_messages ?? 0, 'message'),
  ].filter((fact) => fact !== null);
  return (
    <p className={styles['facts']}>
      <time dateTime={session.started_at} title={formatExact(session.started_at)}>
        {formatDateTime(session.started_at, new Date())}
      </time>
      {facts.map((fact, index) => (
        <bdi key={index}>{fact}</bdi>
      ))}
      <b title={costTitle(session)}>{formatCost(session.cost_estimate_usd, session.unknown_models)}</b>
    </p>
  );
}

function Prompts({ session: { id } }: { readonly session: SessionDetail }) {
  const { base } = useRealm();
  const { data } = useQuery({
    queryKey: [base, 'session', id, 'prompts'],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/prompts', { params: { id }, query: { limit: SHOWN_PROMPTS }, signal }),
  });
  if (data === undefined || data.prompts.length === 0) return null;
  return (
    <Part title="Prompts">
      <ol className={styles['prompts']}>
        {data.prompts.map(({ ordinal, excerpt, cost_nanos }) => (
          <li key={ordinal}>
            <PageLink page={{ kind: 'session', id, at: ordinal }}>
              <bdi>{excerpt === '' ? 'Without text' : withoutCodeMarks(excerpt)}</bdi>
              <span>{formatNanos(cost_nanos)}</span>
            </PageLink>
          </li>
        ))}
      </ol>
      {data.next_after !== null && <p className={styles['more']}>The session has more prompts.</p>}
    </Part>
  );
}

function Files({ session: { id, cwd } }: { readonly session: SessionDetail }) {
  const { base } = useRealm();
  const { data } = useQuery({
    queryKey: [base, 'session', id, 'files'],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/files', { params: { id }, query: { limit: MAX_FILES }, signal }),
  });
  if (data === undefined || data.files.length === 0) return null;
  const changed = data.files.toSorted(
    (a, b) => b.writes - a.writes || b.lines_added + b.lines_removed - a.lines_added - a.lines_removed,
  );
  const rest = changed.length - SHOWN_FILES;
  return (
    <Part title="Files">
      <ul className={styles['files']}>
        {changed.slice(0, SHOWN_FILES).map((file) => (
          <li key={file.path}>
            <PathText path={withoutFolder(file.path, cwd)} />
            {file.writes > 0 ? (
              <span>
                <span className={styles['added']}>+{formatCompact(file.lines_added)}</span>{' '}
                <span className={styles['removed']}>−{formatCompact(file.lines_removed)}</span>
              </span>
            ) : (
              <span>read</span>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p className={styles['more']}>
          and {plural(rest, 'more file')}
          {data.next_after === null ? '' : ' or more'}
        </p>
      )}
    </Part>
  );
}

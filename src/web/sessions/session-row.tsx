import { memo, useCallback } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { formatCost, formatDuration, formatExact, formatStarted, shortModel } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { PageLink } from '../routing/page-link.tsx';
import { costTitle, outcomeOf, stateOf, type SessionState } from './list-rows.ts';
import styles from './session-row.module.css';

const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  live: 'Live',
  reading: 'Not parsed yet',
  failed: 'Could not be parsed',
  ended: 'Ended',
};

interface SessionCellsProps {
  readonly session: SessionRow;
  readonly share: number;
  readonly now: Date;
}

/** Title and state; below them where it happened and what came of it; on the right when, how long and how much. */
function SessionCells({ session, share, now }: SessionCellsProps) {
  return (
    <>
      <State state={stateOf(session)} />
      <span role="gridcell" className={styles.text}>
        <PageLink className={styles.title} page={{ kind: 'session', id: session.id }} tabIndex={-1}>
          <bdi>{titleOf(session)}</bdi>
        </PageLink>
        <About session={session} />
      </span>
      <span role="gridcell" className={styles.work}>
        <span>{formatDuration(session.duration_ms)}</span>
        <bdi title={session.models.join(', ')}>{shortModel(session.model)}</bdi>
      </span>
      <span role="gridcell" className={styles.time} title={formatExact(session.started_at)}>
        {formatStarted(session.started_at, now)}
      </span>
      <span role="gridcell" className={styles.cost} title={costTitle(session)}>
        <span>{formatCost(session.cost_estimate_usd)}</span>
        <Bar share={share} />
      </span>
    </>
  );
}

function State({ state }: { readonly state: SessionState }) {
  return (
    <span role="gridcell" className={styles.stateCell}>
      <span
        className={`${styles.state} ${styles[state]}`}
        role="img"
        aria-label={STATE_LABELS[state]}
        title={STATE_LABELS[state]}
      />
    </span>
  );
}

function About({ session }: { readonly session: SessionRow }) {
  const summary = outcomeOf(session);
  return (
    <span className={styles.about}>
      <bdi className={styles.workspace} title={session.cwd ?? undefined}>
        {session.workspace_name}
      </bdi>
      {session.git_branch !== null && (
        <bdi className={styles.branch} title={session.git_branch}>
          {session.git_branch}
        </bdi>
      )}
      {summary !== '' && <bdi className={styles.summary}>{summary}</bdi>}
    </span>
  );
}

/** The width is set through the CSSOM: the content security policy forbids style attributes. */
function Bar({ share }: { readonly share: number }) {
  const setWidth = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('width', `${Math.round(share * 100)}%`),
    [share],
  );
  return <span ref={setWidth} className={styles.bar} />;
}

export const SessionRowView = memo(SessionCells);

import { ChevronRight, Pin } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import type { Fold } from '../../reading/list-rows.ts';
import {
  formatCompact,
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatStarted,
  formatStartedOn,
  plural,
  shortModel,
} from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import {
  costTitle,
  errorsOf,
  outcomeOf,
  type SessionState,
  STATE_LABELS,
  stateOf,
  workspaceNameOf,
} from '../../reading/session-facts.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useShare } from '../charts/size.ts';
import styles from './session-row.module.css';

interface SessionCellsProps {
  readonly session: SessionRow;
  readonly share: number;
  readonly now: Date;
  /** A heading above shows the day. */
  readonly isUnderDay: boolean;
  readonly checkbox: ReactNode;
}

/** Title and state; below them where it happened and what came of it; on the right what it changed, took and cost. */
function SessionCells({ session, share, now, isUnderDay, checkbox }: SessionCellsProps) {
  return (
    <>
      <State state={stateOf(session)}>{checkbox}</State>
      <span role="gridcell" className={styles.text}>
        <span className={styles.line}>
          {session.is_pinned && <Pin className={styles.pin} size={12} role="img" aria-label="Pinned" />}
          <PageLink className={styles.title} page={{ kind: 'session', id: session.id }} tabIndex={-1} dir="auto">
            {titleOf(session)}
          </PageLink>
          {session.tags.map((tag) => (
            <bdi key={tag} className={styles.tag}>
              {tag}
            </bdi>
          ))}
        </span>
        <About session={session} />
      </span>
      <Work session={session} />
      <span role="gridcell" className={styles.time} title={formatExact(session.started_at)}>
        <span>{startOf(session.started_at, now, isUnderDay)}</span>
        <span>{formatDuration(session.duration_ms)}</span>
      </span>
      <span role="gridcell" className={styles.cost} title={costTitle(session)}>
        <span>{formatCost(session.cost_estimate_usd)}</span>
        <Bar share={share} />
      </span>
    </>
  );
}

function startOf(iso: string, now: Date, isUnderDay: boolean): string {
  return isUnderDay ? formatStarted(iso, now) : formatStartedOn(iso, now);
}

function State({ state, children }: { readonly state: SessionState; readonly children: ReactNode }) {
  return (
    <span role="gridcell" className={styles.stateCell}>
      <span
        className={`${styles.state} ${styles[state]}`}
        role="img"
        aria-label={STATE_LABELS[state]}
        title={STATE_LABELS[state]}
      />
      {children}
    </span>
  );
}

function About({ session }: { readonly session: SessionRow }) {
  const summary = outcomeOf(session);
  return (
    <span className={styles.about}>
      <bdi className={styles.workspace} title={session.cwd ?? undefined}>
        {workspaceNameOf(session)}
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

/** Changed lines, commits and errors, each only where there are any; the model below them. */
function Work({ session }: { readonly session: SessionRow }) {
  const { lines_added = 0, lines_removed = 0, commits = 0 } = session.work ?? {};
  const errors = errorsOf(session);
  return (
    <span role="gridcell" className={styles.work}>
      <span className={styles.counts}>
        {errors > 0 && (
          <span className={styles.errors} title={`${plural(errors, 'error')}: failed calls and API errors`}>
            ✗ {formatCount(errors)}
          </span>
        )}
        {commits > 0 && (
          <span className={styles.commits} title={plural(commits, 'commit')}>
            ● {formatCount(commits)}
          </span>
        )}
        {lines_added + lines_removed > 0 && (
          <span title={`${formatCount(lines_added)} lines added, ${formatCount(lines_removed)} removed`}>
            <span className={styles.added}>+{formatCompact(lines_added)}</span>{' '}
            <span className={styles.removed}>−{formatCompact(lines_removed)}</span>
          </span>
        )}
      </span>
      <bdi title={session.models.join(', ')}>{shortModel(session.model)}</bdi>
    </span>
  );
}

function Bar({ share }: { readonly share: number }) {
  return <span ref={useShare(share)} className={styles.bar} />;
}

export const SessionRowView = memo(SessionCells);

interface FoldCellsProps {
  readonly fold: Fold;
  readonly now: Date;
  readonly isUnderDay: boolean;
  readonly checkbox: ReactNode;
  readonly onToggle: () => void;
}

/** Repeated automation: the title once, how often, and what it cost together. */
export function FoldRowView({ fold, now, isUnderDay, checkbox, onToggle }: FoldCellsProps) {
  const { session, members, isOpen, cost, share } = fold;
  const last = members.at(-1)?.started_at ?? session.started_at;
  return (
    <>
      <span role="gridcell" className={styles.stateCell}>
        <ChevronRight className={isOpen ? styles.opened : styles.closed} size={14} aria-hidden="true" />
        {checkbox}
      </span>
      <span role="gridcell" className={styles.text}>
        <span className={styles.line}>
          <button
            type="button"
            className={styles.title}
            dir="auto"
            tabIndex={-1}
            aria-expanded={isOpen}
            onClick={(event) => {
              event.stopPropagation();
              onToggle();
            }}
          >
            {titleOf(session)}
          </button>
          <span className={styles.times}>× {formatCount(members.length)}</span>
        </span>
        <About session={session} />
      </span>
      <span role="gridcell" className={styles.work} />
      <span role="gridcell" className={styles.time}>
        <span>{startOf(session.started_at, now, isUnderDay)}</span>
        <span className={styles.since}>since {startOf(last, now, isUnderDay)}</span>
      </span>
      <span role="gridcell" className={styles.cost}>
        <span>{formatCost(cost)}</span>
        <Bar share={share} />
      </span>
    </>
  );
}

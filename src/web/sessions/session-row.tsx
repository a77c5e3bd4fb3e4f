import { memo } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { PageLink } from '../routing/page-link.tsx';
import {
  formatCompact,
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatStarted,
  NOTHING,
  shortModel,
} from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { costTitle, stateOf, tokensTitle, totalTokens, type SessionState } from './list-rows.ts';

export const COLUMNS = [
  ['title', 'Session'],
  ['workspace', 'Workspace'],
  ['branch', 'Branch'],
  ['model', 'Model'],
  ['started', 'Started'],
  ['duration', 'Duration'],
  ['messages', 'Msgs'],
  ['tools', 'Tools'],
  ['tokens', 'Tokens'],
  ['cost', 'Cost'],
] as const;
type Column = (typeof COLUMNS)[number][0];

const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  live: 'Live',
  reading: 'Not parsed yet',
  failed: 'Could not be parsed',
  ended: 'Ended',
};

interface CellProps {
  readonly column: Column;
  readonly title?: string;
  readonly text: string;
}

function Cell({ column, title, text }: CellProps) {
  return (
    <span role="gridcell" className={`cell cell-${column}`} title={title}>
      <bdi>{text}</bdi>
    </span>
  );
}

interface SessionRowViewProps {
  readonly session: SessionRow;
  readonly now: Date;
}

function SessionCells({ session, now }: SessionRowViewProps) {
  const state = stateOf(session);
  return (
    <>
      <span role="gridcell" className="cell cell-title">
        <span
          className={`state state-${state}`}
          role="img"
          aria-label={STATE_LABELS[state]}
          title={STATE_LABELS[state]}
        />
        <PageLink page={{ kind: 'session', id: session.id }} tabIndex={-1}>
          <bdi>{titleOf(session)}</bdi>
        </PageLink>
      </span>
      <Cell column="workspace" text={session.workspace_name} title={session.cwd ?? undefined} />
      <Cell column="branch" text={session.git_branch ?? NOTHING} title={session.git_branch ?? undefined} />
      <Cell column="model" text={shortModel(session.model)} title={session.models.join(', ')} />
      <Cell column="started" text={formatStarted(session.started_at, now)} title={formatExact(session.started_at)} />
      <Cell column="duration" text={formatDuration(session.duration_ms)} />
      <Cell column="messages" text={formatCount(session.total_messages)} />
      <Cell column="tools" text={formatCount(session.tool_use_count)} />
      <Cell column="tokens" text={formatCompact(totalTokens(session))} title={tokensTitle(session)} />
      <Cell column="cost" text={formatCost(session.cost_estimate_usd)} title={costTitle(session)} />
    </>
  );
}

export const SessionRowView = memo(SessionCells);

import { useState } from 'react';
import type { CostBreakdown } from '../../../api/cost.ts';
import { allTokens } from '../../../domain/cost.ts';
import { formatSums, groupPlaces, type WorkspaceCost } from '../../../reading/cost-view.ts';
import { formatCompact, formatCount } from '../../../reading/format.ts';
import { titleOf } from '../../../reading/names.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useEntryState } from '../../routing/entry-state.ts';
import { BAR, type Column, FigureTable, Toggle } from '../figure-table.tsx';
import type { Period } from '../periods.tsx';
import { ShareBar } from '../share-bar.tsx';
import styles from '../dashboard.module.css';
import { type CostPlace, useCostSessions } from './queries.ts';

const COLUMNS: readonly Column[] = [
  { title: 'Workspace' },
  { title: 'Messages', isWide: true },
  { title: 'Tokens', isWide: true },
  { title: 'Cost' },
  BAR,
];

interface PlaceTableProps {
  readonly places: CostBreakdown['places'];
  readonly period: Period;
}

/** Workspaces, which open to their branches, which open to their sessions. */
export function PlaceTable({ places, period }: PlaceTableProps) {
  const workspaces = groupPlaces(places);
  const most = Math.max(...workspaces.map(({ costNanos }) => costNanos), 1);
  return (
    <FigureTable label="Cost by workspace, branch and session" columns={COLUMNS}>
      {workspaces.map((workspace) => (
        <Workspace key={workspace.key} workspace={workspace} most={most} period={period} />
      ))}
    </FigureTable>
  );
}

interface WorkspaceProps {
  readonly workspace: WorkspaceCost;
  readonly most: number;
  readonly period: Period;
}

function Workspace({ workspace, most, period }: WorkspaceProps) {
  const [isOpen, setOpen] = useEntryState(`workspace ${workspace.key}`, false);
  const { since, until } = period;
  const tokens = workspace.branches.reduce((sum, branch) => sum + allTokens(branch), 0);
  const q = sessionsQuery({ since, until, workspace: workspace.key });
  const cost = {
    cost_nanos: workspace.isPriced ? workspace.costNanos : null,
    unpriced_messages: workspace.unpricedMessages,
  };
  return (
    <>
      <tr>
        <th scope="row">
          <Toggle name={workspace.name} title={workspace.key} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
        </th>
        <td className={styles['wide']}>{formatCount(workspace.messages)}</td>
        <td className={styles['wide']}>{formatCompact(tokens)}</td>
        <td>
          <PageLink page={{ kind: 'list', q }}>{formatSums(cost)}</PageLink>
        </td>
        <td className={styles['wide']}>
          <ShareBar share={workspace.costNanos / most} />
        </td>
      </tr>
      {isOpen &&
        workspace.branches.map((branch) => <Branch key={branch.branch} place={branch} most={most} period={period} />)}
    </>
  );
}

interface BranchProps {
  readonly place: CostBreakdown['places'][number];
  readonly most: number;
  readonly period: Period;
}

function Branch({ place, most, period }: BranchProps) {
  const [isOpen, setOpen] = useState(false);
  const { since, until } = period;
  const q = sessionsQuery({ since, until, workspace: place.workspace_key, branch: place.branch });
  return (
    <>
      <tr>
        <th scope="row">
          <span className={styles['level1']}>
            <Toggle
              name={place.branch === '' ? '(no branch)' : place.branch}
              title={place.branch}
              isOpen={isOpen}
              onToggle={() => setOpen(!isOpen)}
              isCode
            />
          </span>
        </th>
        <td className={styles['wide']}>{formatCount(place.messages)}</td>
        <td className={styles['wide']}>{formatCompact(allTokens(place))}</td>
        <td>
          {place.branch === '' ? (
            formatSums(place)
          ) : (
            <PageLink page={{ kind: 'list', q }}>{formatSums(place)}</PageLink>
          )}
        </td>
        <td className={styles['wide']}>
          <ShareBar share={(place.cost_nanos ?? 0) / most} />
        </td>
      </tr>
      {isOpen && (
        <Sessions place={{ workspace: place.workspace_key, branch: place.branch }} most={most} period={period} />
      )}
    </>
  );
}

interface SessionsProps {
  readonly place: CostPlace;
  readonly most: number;
  readonly period: Period;
}

function Sessions({ place, most, period }: SessionsProps) {
  const { data, error } = useCostSessions(period, place);
  if (data === undefined) {
    return (
      <tr>
        <td colSpan={5}>{error === null ? 'Loading…' : error.message}</td>
      </tr>
    );
  }
  return data.sessions.map((session) => (
    <tr key={session.session_id}>
      <th scope="row">
        <PageLink className={styles['level2']} page={{ kind: 'session', id: session.session_id }}>
          <bdi>{titleOf(session)}</bdi>
        </PageLink>
      </th>
      <td className={styles['wide']}>{formatCount(session.messages)}</td>
      <td className={styles['wide']}>{formatCompact(allTokens(session))}</td>
      <td>{formatSums(session)}</td>
      <td className={styles['wide']}>
        <ShareBar share={(session.cost_nanos ?? 0) / most} />
      </td>
    </tr>
  ));
}

import { ArrowDown, ArrowUp, Filter, Rows2, Rows3 } from 'lucide-react';
import type { ListGroup } from '../../domain/saved-view.ts';
import { readListOrder, SESSION_SORTS, type SessionSort } from '../../domain/session-sort.ts';
import type { ListAddress } from './use-list-search.ts';
import styles from './list-page.module.css';

const SORT_NAMES: Readonly<Record<Exclude<SessionSort, 'workspace'>, string>> = {
  time: 'Newest',
  cost: 'Cost',
  duration: 'Duration',
  tokens: 'Tokens',
  messages: 'Messages',
  lines: 'Changed lines',
  title: 'Title',
};

const GROUP_NAMES: Readonly<Record<ListGroup, string>> = {
  day: 'By day',
  workspace: 'By workspace',
  none: 'No groups',
};

interface ToolbarProps {
  readonly address: ListAddress;
  readonly group: ListGroup;
  readonly isCompact: boolean;
  readonly onCompact: () => void;
  readonly isFaceted: boolean;
  readonly onFacets: () => void;
}

/** Order, groups and density of the list. */
export function ListToolbar({ address, group, isCompact, onCompact, isFaceted, onFacets }: ToolbarProps) {
  const Density = isCompact ? Rows2 : Rows3;
  return (
    <div className={styles['tools']} role="toolbar" aria-label="Order and groups">
      <SortControl address={address} group={group} />
      <GroupControl address={address} group={group} />
      <button
        type="button"
        className={styles['icon']}
        aria-pressed={isCompact}
        aria-label="Compact rows"
        title="Compact rows"
        onClick={onCompact}
      >
        <Density size={15} aria-hidden="true" />
      </button>
      <button
        type="button"
        className={styles['icon']}
        aria-pressed={isFaceted}
        aria-label="Filters by value"
        title="Filters by value (f)"
        onClick={onFacets}
      >
        <Filter size={15} aria-hidden="true" />
      </button>
    </div>
  );
}

type ControlProps = Pick<ToolbarProps, 'address' | 'group'>;

/** Groups by workspace have an order of their own, so a chosen order ends them. */
function SortControl({ address: { search, change }, group }: ControlProps) {
  const { sort, order } = readListOrder(search);
  const isUsual = order === SESSION_SORTS[sort].order;
  const turned = order === 'asc' ? 'desc' : 'asc';
  const Arrow = order === 'asc' ? ArrowUp : ArrowDown;
  const choose = (name: string) =>
    change({ sort: name === 'time' ? undefined : (name as SessionSort), order: undefined, group: undefined });
  return (
    <>
      <select
        aria-label="Sort by"
        value={group === 'workspace' ? 'time' : sort}
        onChange={({ target }) => choose(target.value)}
      >
        {Object.entries(SORT_NAMES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      <button
        type="button"
        className={styles['icon']}
        disabled={group === 'workspace'}
        aria-label={`Order: ${order === 'asc' ? 'ascending' : 'descending'}`}
        title="Reverse the order"
        onClick={() => change({ order: isUsual ? turned : undefined })}
      >
        <Arrow size={15} aria-hidden="true" />
      </button>
    </>
  );
}

function GroupControl({ address: { change }, group }: ControlProps) {
  const choose = (name: string) =>
    change({
      group: name === 'day' ? undefined : (name as ListGroup),
      ...(name === 'none' ? {} : { sort: undefined, order: undefined }),
    });
  return (
    <select aria-label="Group" value={group} onChange={({ target }) => choose(target.value)}>
      {Object.entries(GROUP_NAMES).map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}

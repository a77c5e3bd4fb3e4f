import { useCallback, useMemo, useState } from 'react';
import { plural } from '../../reading/format.ts';
import { isBusy, useSessions, useStatus } from '../api/queries.ts';
import { useRealm } from '../routing/realm.ts';
import { EmptyNotice, ErrorNotice, Loading } from '../shell/notice.tsx';
import { SessionList } from './session-list.tsx';
import styles from './list-page.module.css';

export function ListPage() {
  const { base } = useRealm();
  const { data: status } = useStatus(base);
  const isGrowing = isBusy(status);
  const [isAll, setAll] = useState(false);
  const { data, dataUpdatedAt, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions(
    base,
    isAll,
  );
  const now = useMemo(() => new Date(dataUpdatedAt), [dataUpdatedAt]);
  const sessions = useMemo(() => data?.pages.flatMap((page) => page.sessions) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);

  if (isPending) return <Loading what="Loading sessions" />;
  if (error !== null && sessions.length === 0) return <ErrorNotice error={error} />;
  const hidden = data?.pages[0]?.hidden ?? 0;
  if (sessions.length === 0 && hidden === 0)
    return isGrowing || status === undefined ? (
      <Loading what="Importing your sessions" />
    ) : (
      <EmptyNotice status={status} />
    );
  return (
    <main className={styles.page}>
      <HiddenNote hidden={hidden} isAll={isAll} onToggle={() => setAll(!isAll)} />
      <SessionList sessions={sessions} now={now} hasMore={hasNextPage} onNearEnd={loadMore} />
    </main>
  );
}

interface HiddenNoteProps {
  readonly hidden: number;
  readonly isAll: boolean;
  readonly onToggle: () => void;
}

/** Sessions without a prompt are hidden until the user asks for them. */
function HiddenNote({ hidden, isAll, onToggle }: HiddenNoteProps) {
  if (hidden === 0 && !isAll) return null;
  const verb = hidden === 1 ? 'is' : 'are';
  return (
    <p className={styles.hidden}>
      {!isAll && `${plural(hidden, 'session')} without a prompt ${verb} hidden. `}
      <button type="button" onClick={onToggle}>
        {isAll ? 'Hide sessions without a prompt' : 'Show all'}
      </button>
    </p>
  );
}

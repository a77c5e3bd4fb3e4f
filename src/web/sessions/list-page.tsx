import { useCallback, useMemo } from 'react';
import type { StatusReport } from '../../domain/query.ts';
import type { ApiBase } from '../../client/client.ts';
import { isBusy, useSessions } from '../api/queries.ts';
import { EmptyNotice, ErrorNotice, Loading } from '../shell/notice.tsx';
import { SessionList } from './session-list.tsx';

interface ListPageProps {
  readonly base: ApiBase;
  readonly isDemo: boolean;
  readonly status: StatusReport;
}

export function ListPage({ base, isDemo, status }: ListPageProps) {
  const isGrowing = isBusy(status);
  const { data, dataUpdatedAt, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions(base);
  const now = useMemo(() => new Date(dataUpdatedAt), [dataUpdatedAt]);
  const sessions = useMemo(() => data?.pages.flatMap((page) => page.sessions) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);

  if (isPending) return <Loading what="Reading the list of sessions" />;
  if (error !== null && sessions.length === 0) return <ErrorNotice error={error} />;
  if (sessions.length === 0)
    return isGrowing ? <Loading what="Reading your sessions" /> : <EmptyNotice status={status} />;
  return <SessionList sessions={sessions} now={now} isDemo={isDemo} hasMore={hasNextPage} onNearEnd={loadMore} />;
}

import type { ReactNode } from 'react';
import type { ApiBase } from '../client/client.ts';
import { FuelError } from '../domain/errors.ts';
import type { StatusReport } from '../api/server.ts';
import { useLive } from './api/live.ts';
import { useDemo, useStatus } from './api/queries.ts';
import { storedToken } from './api/token.ts';
import { parsePlace, useHash, type Page } from './router.ts';
import { SearchPage } from './search/search-page.tsx';
import { ListPage } from './sessions/list-page.tsx';
import { ErrorNotice, Loading, LockedNotice } from './shell/notice.tsx';
import { ProgressBar } from './shell/progress-bar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { SessionPage } from './session/session-page.tsx';

export function App() {
  const { isDemo, page } = parsePlace(useHash());
  const demo = useDemo(isDemo && storedToken() !== null);
  if (storedToken() === null) return <LockedNotice />;
  if (isDemo && demo.error !== null)
    return isLocked(demo.error) ? <LockedNotice /> : <ErrorNotice error={demo.error} />;
  if (isDemo && !demo.isSuccess) return <Loading what="Preparing the demo" />;
  return <Frame key={isDemo ? 'demo' : 'own'} isDemo={isDemo} page={page} />;
}

function isLocked(error: Error): boolean {
  return error instanceof FuelError && (error.code === 'unauthorized' || error.code === 'rate_limited');
}

function Frame({ isDemo, page }: { readonly isDemo: boolean; readonly page: Page }) {
  const base: ApiBase = isDemo ? '/demo/api' : '/api';
  const { data: status, error } = useStatus(base);
  useLive({ base, sessionId: page.kind === 'session' ? page.id : null });
  if (error !== null && isLocked(error)) return <LockedNotice />;
  return (
    <div className="frame">
      {isDemo && <DemoBanner />}
      <TopBar isDemo={isDemo} page={page} status={status} />
      {status !== undefined && <ProgressBar status={status} />}
      <div className="content">
        {status === undefined && error !== null && <ErrorNotice error={error} />}
        {status === undefined && error === null && <Loading what="Opening" />}
        {status !== undefined && <CurrentPage base={base} isDemo={isDemo} page={page} status={status} />}
      </div>
    </div>
  );
}

interface CurrentPageProps {
  readonly base: ApiBase;
  readonly isDemo: boolean;
  readonly page: Page;
  readonly status: StatusReport;
}

function CurrentPage({ base, isDemo, page, status }: CurrentPageProps): ReactNode {
  switch (page.kind) {
    case 'list':
      return <ListPage base={base} isDemo={isDemo} status={status} />;
    case 'search':
      return <SearchPage base={base} isDemo={isDemo} text={page.text} />;
    case 'session':
      return <SessionPage key={page.id} base={base} isDemo={isDemo} id={page.id} at={page.at} />;
    default:
      return page satisfies never;
  }
}

function DemoBanner() {
  return (
    <div className="demo-banner" role="note">
      <span>You are viewing demo data, separate from your own sessions.</span>
      <a className="button" href="#/">
        Back to my sessions
      </a>
    </div>
  );
}

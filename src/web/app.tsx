import { Outlet, useParams } from '@tanstack/react-router';
import { FuelError } from '../domain/errors.ts';
import { useLive } from './api/live.ts';
import { useDemo, useStatus } from './api/queries.ts';
import { storedToken } from './api/token.ts';
import { PageLink } from './routing/page-link.tsx';
import { DEMO, OWN, type Realm, RealmContext } from './routing/realm.ts';
import { ErrorNotice, Loading, LockedNotice } from './shell/notice.tsx';
import { ProgressBar } from './shell/progress-bar.tsx';
import { TopBar } from './shell/top-bar.tsx';

export function App() {
  return storedToken() === null ? <LockedNotice /> : <Outlet />;
}

export function OwnFrame() {
  return <Frame realm={OWN} />;
}

export function DemoFrame() {
  const demo = useDemo(true);
  if (demo.error !== null) return isLocked(demo.error) ? <LockedNotice /> : <ErrorNotice error={demo.error} />;
  if (!demo.isSuccess) return <Loading what="Preparing the demo" />;
  return <Frame realm={DEMO} />;
}

function isLocked(error: Error): boolean {
  return error instanceof FuelError && (error.code === 'unauthorized' || error.code === 'rate_limited');
}

function Frame({ realm }: { readonly realm: Realm }) {
  const { base, isDemo } = realm;
  const { data: status, error } = useStatus(base);
  const { id = null } = useParams({ strict: false });
  useLive({ base, sessionId: id });
  if (error !== null && isLocked(error)) return <LockedNotice />;
  return (
    <RealmContext value={realm}>
      <div className="frame">
        {isDemo && <DemoBanner />}
        <TopBar status={status} />
        {status !== undefined && <ProgressBar status={status} />}
        <div className="content">
          {status === undefined && error !== null && <ErrorNotice error={error} />}
          {status === undefined && error === null && <Loading what="Opening" />}
          {status !== undefined && <Outlet />}
        </div>
      </div>
    </RealmContext>
  );
}

function DemoBanner() {
  return (
    <div className="demo-banner" role="note">
      <span>You are viewing demo data, separate from your own sessions.</span>
      <PageLink className="button" realm="own" page={{ kind: 'list' }}>
        Back to my sessions
      </PageLink>
    </div>
  );
}

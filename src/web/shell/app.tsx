import { Outlet, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { StatusReport } from '../../api/server.ts';
import { FuelError } from '../../domain/errors.ts';
import { useLive } from '../api/live.ts';
import { useDemo, useStatus } from '../api/queries.ts';
import { storedToken } from '../access/access.ts';
import { EVERYWHERE, useShortcuts } from '../keyboard.ts';
import { PageLink } from '../routing/page-link.tsx';
import { DEMO, OWN, type Realm, RealmContext } from '../routing/realm.ts';
import { ErrorNotice, Loading, LockedNotice, UnknownAddress } from './notice.tsx';
import { type Panel, Panels } from './panels.tsx';
import { Rail } from './rail.tsx';
import { StatusStack } from './status-stack.tsx';
import { TopBar } from './top-bar.tsx';
import styles from './app.module.css';

export function App() {
  return storedToken() === null ? <LockedNotice error={null} /> : <Outlet />;
}

export function OwnFrame() {
  return <Frame realm={OWN} />;
}

export function DemoFrame() {
  const demo = useDemo(true);
  if (demo.isSuccess) return <Frame realm={DEMO} />;
  if (demo.error !== null && isLocked(demo.error)) return <LockedNotice error={demo.error} />;
  // Until the demo is ready, the frame leads to the user's own sessions.
  return (
    <Shell realm={OWN}>
      {demo.error === null ? <Loading what="Preparing the demo" /> : <ErrorNotice error={demo.error} />}
    </Shell>
  );
}

export function UnknownFrame() {
  return (
    <Shell realm={OWN}>
      <UnknownAddress />
    </Shell>
  );
}

function isLocked(error: Error): boolean {
  return error instanceof FuelError && (error.code === 'unauthorized' || error.code === 'rate_limited');
}

/** Each screen has one `<main>`. */
function Frame({ realm }: { readonly realm: Realm }) {
  const { base, isDemo } = realm;
  const { data: status, error } = useStatus(base);
  const { id = null } = useParams({ strict: false });
  useLive({ base, sessionId: id });
  if (error !== null && isLocked(error)) return <LockedNotice error={error} />;
  return (
    <Shell realm={realm} status={status}>
      {(isDemo || status?.is_demo === true) && <DemoBanner hasOwn={isDemo} />}
      <TopBar status={status} isHidden={id !== null} />
      {status === undefined && error !== null && <ErrorNotice error={error} />}
      {status === undefined && error === null && <Loading what="Opening" />}
      {status !== undefined && <Outlet />}
    </Shell>
  );
}

interface ShellProps {
  readonly realm: Realm;
  readonly status?: StatusReport | undefined;
  readonly children: ReactNode;
}

/** The frame around every screen. */
function Shell({ realm, status, children }: ShellProps) {
  const [panel, setPanel] = useState<Panel | null>(null);
  useShortcuts(EVERYWHERE, [
    { keys: ['Mod+k'], label: 'Go to a session, search, or run a command', run: () => setPanel('palette') },
    { keys: ['?'], label: 'Show these keys', run: () => setPanel('keys') },
  ]);
  return (
    <RealmContext value={realm}>
      <div className={`${styles.frame} print-flow`}>
        <SkipLink />
        <Rail onOpen={setPanel} />
        <div className={`${styles.content} print-flow`}>{children}</div>
        <StatusStack status={status} />
      </div>
      <Panels panel={panel} onOpen={setPanel} />
    </RealmContext>
  );
}

/** The first stop of the Tab key: past the rail and the search field. */
function SkipLink() {
  const skip = () => {
    const main = document.querySelector('main');
    main?.setAttribute('tabindex', '-1');
    main?.focus();
  };
  return (
    <button type="button" className={`${styles.skip} no-print`} onClick={skip}>
      Skip to content
    </button>
  );
}

/** `fuel-code demo` serves only the demo, so there are no own sessions to go back to. */
function DemoBanner({ hasOwn }: { readonly hasOwn: boolean }) {
  return (
    <div className={`${styles.demo} no-print`} role="note">
      <span>
        You are viewing demo data<span className={styles.aside}>, separate from your own sessions</span>.
      </span>
      {hasOwn && (
        <PageLink className="button" realm="own" page={{ kind: 'list' }}>
          Back to my sessions
        </PageLink>
      )}
    </div>
  );
}

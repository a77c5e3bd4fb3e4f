import { Info, Share, Trash2 } from 'lucide-react';
import { Suspense, useEffect, useState, useMemo } from 'react';
import type { SessionDetail } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import { EditableTitle, PinButton } from '../annotate/annotations.tsx';
import { useSession } from '../api/queries.ts';
import { loadInspector } from '../items/inspector/inspector-pane.tsx';
import { PageLink } from '../routing/page-link.tsx';
import { useGo } from '../routing/use-go.ts';
import { titleOf } from '../../reading/names.ts';
import { DeleteDialog } from '../delete/delete-dialog.tsx';
import { DeletedNotice } from '../delete/deleted-notice.tsx';
import { FuelError } from '../../domain/errors.ts';
import { ShareDialog } from '../share/share-dialog.tsx';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import { formatCost, formatDateTime, formatDuration, formatExact, plural, shortModel } from '../../reading/format.ts';
import { costTitle, STATE_LABELS, stateOf } from '../../reading/session-facts.ts';
import { Facts } from './facts.tsx';
import type { OpenedSearch } from './find-bar.tsx';
import { useOutline } from './queries.ts';
import { SessionReader } from './reader.tsx';
import styles from './reader.module.css';
import { ViewTabs } from './view-tabs.tsx';
import { loadViews, SESSION_VIEWS } from './views.ts';
import { useParams, useSearch } from '@tanstack/react-router';
import { useRealm } from '../routing/realm.ts';

interface SessionPageProps {
  readonly base: ApiBase;
  readonly isDemo: boolean;
  readonly id: string;
  readonly at: number | null;
  readonly block: number | null;
  /** The search that led here. */
  readonly search: OpenedSearch | null;
  /** The view in the address; null for the conversation. */
  readonly view: string | null;
}

function SessionPage({ base, isDemo, id, at, block, search, view: wanted }: SessionPageProps) {
  const { data: session, error } = useSession(base, id);
  const [isFactsOpen, setFactsOpen] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const go = useGo();
  const view = SESSION_VIEWS.find(({ name }) => name === wanted)?.name ?? null;
  useEffect(() => {
    if (session === undefined) return undefined;
    document.title = `${titleOf(session)} · fuel-code`;
    return () => void (document.title = 'fuel-code');
  }, [session]);

  if (error instanceof FuelError && error.code === 'gone') return <DeletedNotice id={id} />;
  if (error !== null) return <ErrorNotice error={error} />;
  if (session === undefined) return <Loading what="Loading session" />;
  return (
    <div className={isFactsOpen ? 'session facts-open print-flow' : 'session print-flow'} data-view={view ?? undefined}>
      <SessionHead
        session={session}
        isDemo={isDemo}
        isFactsOpen={isFactsOpen}
        onFacts={() => setFactsOpen(!isFactsOpen)}
        onShare={() => setSharing(true)}
        onDelete={() => setDeleting(true)}
      />
      {isSharing && <ShareDialog id={session.id} onClose={() => setSharing(false)} />}
      {isDeleting && (
        <DeleteDialog
          ids={[session.id]}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ kind: 'list' }, { isReplacing: true })}
        />
      )}
      <aside id="facts" className="session-facts no-print" aria-label="About this session">
        <Facts session={session} />
      </aside>
      <div className="session-main print-flow">
        <ViewTabs id={id} view={view} />
        <Content
          base={base}
          session={session}
          at={at}
          block={block}
          search={search}
          view={view}
          onLeave={() => {
            if (isFactsOpen) setFactsOpen(false);
            else go(search === null ? { kind: 'list' } : { kind: 'search', text: search.query });
          }}
        />
      </div>
    </div>
  );
}

interface SessionHeadProps {
  readonly session: SessionDetail;
  readonly isDemo: boolean;
  readonly isFactsOpen: boolean;
  readonly onFacts: () => void;
  readonly onShare: () => void;
  readonly onDelete: () => void;
}

function SessionHead({ session, ...buttons }: SessionHeadProps) {
  const parts = [
    session.workspace_name,
    session.git_branch,
    session.model === null ? null : shortModel(session.model),
    formatDateTime(session.started_at, new Date()),
    formatDuration(session.duration_ms),
  ].filter((part) => part !== null);
  return (
    <header className="session-head">
      <PageLink
        className="back no-print"
        page={{ kind: 'list' }}
        aria-label="Back to sessions"
        title="Back to sessions (Esc)"
      >
        ←
      </PageLink>
      <div className="session-title">
        <h1 dir="auto">
          <EditableTitle session={session}>{titleOf(session)}</EditableTitle>
        </h1>
        <p title={formatExact(session.started_at)}>
          {parts.map((part, index) => (
            <bdi key={index} title={part}>
              {part}
            </bdi>
          ))}
          <PageLink
            page={{ kind: 'session', id: session.id, view: 'cost' }}
            title={costTitle(session) ?? 'What it was spent on ($)'}
          >
            {formatCost(session.cost_estimate_usd, session.unknown_models)}
          </PageLink>
          {session.lines.salvaged > 0 && (
            <span className="warning">{plural(session.lines.salvaged, 'line')} salvaged</span>
          )}
          {stateOf(session) === 'live' && <span className="live-state">{STATE_LABELS.live}</span>}
        </p>
      </div>
      <div className="session-buttons no-print">
        <PinButton session={session} />
        <HeadButtons {...buttons} />
      </div>
    </header>
  );
}

type HeadButtonsProps = Omit<SessionHeadProps, 'session'>;

function HeadButtons({ isDemo, isFactsOpen, onFacts, onShare, onDelete }: HeadButtonsProps) {
  return (
    <>
      {/* First, because views without details lack it: the others keep their places. */}
      <button
        type="button"
        className="facts-button"
        aria-label="Details"
        aria-expanded={isFactsOpen}
        aria-controls="facts"
        onClick={onFacts}
      >
        <Info size={15} aria-hidden="true" />
        <span>Details</span>
      </button>
      {!isDemo && (
        <>
          <button type="button" className="share-button" aria-label="Share" aria-haspopup="dialog" onClick={onShare}>
            <Share size={15} aria-hidden="true" />
            <span>Share</span>
          </button>
          <button type="button" className="share-button" aria-label="Delete" aria-haspopup="dialog" onClick={onDelete}>
            <Trash2 size={15} aria-hidden="true" />
            <span>Delete</span>
          </button>
        </>
      )}
    </>
  );
}

interface ContentProps {
  readonly base: ApiBase;
  readonly session: SessionDetail;
  readonly at: number | null;
  readonly block: number | null;
  readonly search: OpenedSearch | null;
  readonly view: string | null;
  readonly onLeave: () => void;
}

function Content({ base, session, view, ...place }: ContentProps) {
  const { data: index, error } = useOutline(base, session.id);
  const isLoaded = index !== undefined;
  useEffect(() => {
    if (!isLoaded) return;
    loadViews();
    loadInspector();
  }, [isLoaded]);
  if (index === undefined) return error === null ? <OutlineLoading /> : <ErrorNotice error={error} />;
  if (index.columns.count === 0) return <NoMessages session={session} />;
  const { View = null } = SESSION_VIEWS.find(({ name }) => name === view) ?? {};
  if (View !== null)
    return (
      <Suspense fallback={<Loading what="Opening" />}>
        <View base={base} session={session} index={index} at={place.at} />
      </Suspense>
    );
  return <SessionReader base={base} session={session} index={index} {...place} />;
}

function NoMessages({ session: { parse_error, lifecycle } }: Pick<ContentProps, 'session'>) {
  const text = lifecycle === 'capturing' ? 'Nothing has been written yet.' : 'This session has no messages.';
  return (
    <main className={styles['main']}>
      <p className={styles['nothing']} data-part="nothing">
        {parse_error ?? text}
      </p>
    </main>
  );
}

/** Has the columns of the page already, so that nothing moves when the outline arrives. */
function OutlineLoading() {
  return (
    <div className={styles['reader']} role="status" aria-label="Loading transcript">
      <div className={styles['pane']} />
      <div className={styles['main']} />
    </div>
  );
}

/** The session of the address. Another session gets a page of its own, with nothing kept from the last one. */
export function SessionScreen() {
  const { base, isDemo } = useRealm();
  const { id = '' } = useParams({ strict: false });
  const { at = null, block = null, q, view = null } = useSearch({ strict: false });
  const search = useMemo(() => (q === undefined ? null : { query: q, at, block }), [q, at, block]);
  return <SessionPage key={id} base={base} isDemo={isDemo} id={id} at={at} block={block} search={search} view={view} />;
}

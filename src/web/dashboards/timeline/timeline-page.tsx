import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Activity } from '../../../api/activity.ts';
import { addDays, dayText } from '../../../domain/days.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import { formatDateTime, formatDays, plural } from '../../../reading/format.ts';
import {
  formatWindow,
  layOutDays,
  panWindow,
  parseWindow,
  type TimeWindow,
  WHOLE_DAY,
  zoomWindow,
} from '../../../reading/timeline-view.ts';
import { CLIENTS } from '../../api/client.ts';
import { ZONE } from '../../api/queries.ts';
import { useShortcuts } from '../../keyboard.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useRealm } from '../../routing/realm.ts';
import { Dashboard, Loaded } from '../frame.tsx';
import { today, useNewestDay } from '../periods.tsx';
import { useFilter } from '../use-filter.ts';
import dashboardStyles from '../dashboard.module.css';
import { TimelineChart } from './timeline-chart.tsx';
import styles from './timeline.module.css';

const TALL_PX = 1_000;
/** Two weeks, or four where they fit. */
const DAYS = globalThis.innerHeight >= TALL_PX ? 28 : 14;

function useActivity(since: string, until: string) {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'activity', since, until],
    queryFn: ({ signal }) => CLIENTS[base].get('/activity', { query: { since, until, zone: ZONE }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Days as rows and hours across: when what was worked on. */
export function TimelinePage() {
  const [filter, change] = useFilter('timeline');
  const preset = useDefaultDay();
  const hasSessions = useNewestDay() !== null;
  const until = /^\d{4}-\d\d-\d\d$/.test(filter.day ?? '') ? (filter.day ?? '') : preset;
  const window = parseWindow(filter.hours);
  const show = (next: TimeWindow) => change({ hours: formatWindow(next) });
  const zoom = (step: 1 | -1) => show(zoomWindow(window, step, focusedMinute() ?? window.from + window.minutes / 2));
  const move = (days: number) => change({ day: notInFuture(addDays(until, days)) });
  useShortcuts('Timeline', [
    { keys: ['+', '='], label: 'Zoom in', run: () => zoom(1) },
    { keys: ['-'], label: 'Zoom out', run: () => zoom(-1) },
    { keys: ['0'], label: 'Whole days', run: () => show(WHOLE_DAY) },
    { keys: ['['], label: 'Earlier hours', run: () => show(panWindow(window, -0.5)) },
    { keys: [']'], label: 'Later hours', run: () => show(panWindow(window, 0.5)) },
    { keys: ['PageDown', 'j'], label: 'Earlier days', run: () => move(-DAYS) },
    { keys: ['PageUp', 'k'], label: 'Later days', run: () => move(DAYS) },
  ]);
  const since = addDays(until, 1 - DAYS);
  const query = useActivity(since, until);
  return (
    <Dashboard
      name="timeline"
      head={
        hasSessions && (
          <>
            <DayButtons until={until} hours={filter.hours} />
            <p className={styles['period']}>{formatDays(since, until)}</p>
            <ZoomButtons window={window} onZoom={zoom} onShow={show} />
          </>
        )
      }
    >
      <Loaded what="Loading activity" query={query}>
        {(activity) => <Days activity={activity} window={window} />}
      </Loaded>
    </Dashboard>
  );
}

/** Today, or the day of the newest session if the days before today are empty. */
function useDefaultDay(): string {
  const newest = useNewestDay();
  return newest !== null && newest <= addDays(today(), -DAYS) ? newest : today();
}

function notInFuture(day: string): string {
  return day > today() ? today() : day;
}

/** The moment that has the focus stays in the middle. */
function focusedMinute(): number | null {
  const minute = document.activeElement?.getAttribute('data-minute');
  return minute === null || minute === undefined ? null : Number(minute);
}

interface DayButtonsProps {
  readonly until: string;
  readonly hours: string | undefined;
}

function DayButtons({ until, hours }: DayButtonsProps) {
  const pageOf = (day: string) =>
    ({ kind: 'dashboard', name: 'timeline', filter: { day, ...(hours === undefined ? {} : { hours }) } }) as const;
  return (
    <nav className={styles['days']} aria-label="Days">
      <PageLink className="button" page={pageOf(addDays(until, -DAYS))}>
        Earlier
      </PageLink>
      {until < today() && (
        <>
          <PageLink className="button" page={pageOf(notInFuture(addDays(until, DAYS)))}>
            Later
          </PageLink>
          <PageLink className="button" page={pageOf(today())}>
            Today
          </PageLink>
        </>
      )}
    </nav>
  );
}

interface ZoomButtonsProps {
  readonly window: TimeWindow;
  readonly onZoom: (step: 1 | -1) => void;
  readonly onShow: (window: TimeWindow) => void;
}

function ZoomButtons({ window, onZoom, onShow }: ZoomButtonsProps) {
  const isWhole = window.minutes === WHOLE_DAY.minutes;
  return (
    <div className={styles['days']} role="group" aria-label="Hours">
      {!isWhole && (
        <>
          <button type="button" className="button" onClick={() => onShow(panWindow(window, -0.5))}>
            ← Hours
          </button>
          <button type="button" className="button" onClick={() => onShow(panWindow(window, 0.5))}>
            Hours →
          </button>
        </>
      )}
      <button type="button" className="button" aria-label="Zoom out" disabled={isWhole} onClick={() => onZoom(-1)}>
        −
      </button>
      <button type="button" className="button" aria-label="Zoom in" onClick={() => onZoom(1)}>
        +
      </button>
    </div>
  );
}

/** The clock of the browser. */
function localClock(timeMs: number) {
  const date = new Date(timeMs);
  const minute = date.getHours() * 60 + date.getMinutes() + date.getSeconds() / 60;
  return { day: dayText(timeMs - date.getTimezoneOffset() * MINUTE_MS), minute };
}

function Days({ activity, window }: { readonly activity: Activity; readonly window: TimeWindow }) {
  const days = useMemo(() => layOutDays(activity, localClock), [activity]);
  const { sessions, git_activity, is_cut, last_active_at } = activity;
  if (sessions.length === 0 && git_activity.length === 0) return <Nothing lastActiveAt={last_active_at} />;
  return (
    <>
      <TimelineChart days={days} window={window} />
      <p className={dashboardStyles['note']}>
        {plural(sessions.length, 'session')} · bars are turns, ● commits, ◆ pull requests
        {is_cut && ' · not all activity of these days is shown'}
      </p>
    </>
  );
}

function Nothing({ lastActiveAt }: { readonly lastActiveAt: string | null }) {
  if (lastActiveAt === null) return <p className={dashboardStyles['note']}>No activity yet.</p>;
  const { day } = localClock(Date.parse(lastActiveAt));
  return (
    <p className={dashboardStyles['note']}>
      No activity in these {DAYS} days. The last session started{' '}
      <PageLink className={styles['link']} page={{ kind: 'dashboard', name: 'timeline', filter: { day } }}>
        {formatDateTime(lastActiveAt, new Date())}
      </PageLink>
      .
    </p>
  );
}

import { addDays, dayText } from '../../domain/days.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import type { DashboardName } from '../../domain/page-paths.ts';
import { useStatus, ZONE } from '../api/queries.ts';
import { useShortcuts } from '../keyboard.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { useFilter } from './use-filter.ts';
import styles from './dashboard.module.css';

export interface Period {
  /** First and last day, inclusive; null is unlimited. */
  readonly since: string | null;
  readonly until: string | null;
  readonly label: string;
}

const CHOICES = [
  { days: '7', label: '7 days' },
  { days: '30', label: '30 days' },
  { days: '90', label: '90 days' },
  { days: 'all', label: 'All time' },
] as const;

const DEFAULT_DAYS = 30;

export function today(): string {
  return localDay(new Date());
}

function localDay(time: Date): string {
  return dayText(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
}

/** The last 30 days, or all time if nothing happened in them. */
function useDefaultDays(): string {
  const newest = useNewestDay();
  return newest !== null && newest <= addDays(today(), -DEFAULT_DAYS) ? 'all' : String(DEFAULT_DAYS);
}

/** The day on which the newest session started; null before it is known and without sessions. */
export function useNewestDay(): string | null {
  const { base } = useRealm();
  const { data: status } = useStatus(base);
  const newest = status?.newest_session_at ?? null;
  return newest === null ? null : localDay(new Date(newest));
}

/** The period of a dashboard, which its address holds. */
export function usePeriod(name: DashboardName): Period {
  const [{ days }] = useFilter(name);
  const preset = useDefaultDays();
  const known = CHOICES.find((choice) => choice.days === (days ?? preset)) ?? CHOICES[1];
  if (known.days === 'all') return { since: null, until: null, label: 'all time' };
  const until = today();
  return { since: addDays(until, 1 - Number(known.days)), until, label: `the last ${known.label}` };
}

/** The query parameters of a period. */
export function queryOf({ since, until }: Period) {
  return { zone: ZONE, ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) };
}

/** Chooses the period of a dashboard; it is kept in the address. */
export function PeriodPicker({ name }: { readonly name: DashboardName }) {
  const [filter, change] = useFilter(name);
  const preset = useDefaultDays();
  const current = filter.days ?? preset;
  useShortcuts(
    'Period',
    CHOICES.map(({ days, label }, index) => ({
      keys: [String(index + 1)],
      label,
      run: () => change({ days: days === preset ? null : days }),
    })),
  );
  return (
    <nav className={styles['periods']} aria-label="Period">
      {CHOICES.map(({ days, label }) => (
        <PageLink
          key={days}
          page={{ kind: 'dashboard', name, filter: { ...filter, days } }}
          aria-current={days === current ? 'true' : undefined}
        >
          {label}
        </PageLink>
      ))}
    </nav>
  );
}

import { addDays, dayText } from '../../domain/days.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import type { DashboardName } from '../../domain/page-paths.ts';
import { useShortcuts } from '../keyboard.ts';
import { PageLink } from '../routing/page-link.tsx';
import type { DashboardFilter } from '../routing/place.ts';
import { useFilter } from './use-filter.ts';
import styles from './dashboard.module.css';

/** Days are days in the reader's time zone, as in the terminal. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

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

const DEFAULT_DAYS = '30';

export function today(): string {
  const now = new Date();
  return dayText(now.getTime() - now.getTimezoneOffset() * MINUTE_MS);
}

export function periodOf({ days = DEFAULT_DAYS }: DashboardFilter): Period {
  const known = CHOICES.find((choice) => choice.days === days) ?? CHOICES[1];
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
  const current = filter.days ?? DEFAULT_DAYS;
  useShortcuts(
    'Period',
    CHOICES.map(({ days, label }, index) => ({
      keys: [String(index + 1)],
      label,
      run: () => change({ days: days === DEFAULT_DAYS ? null : days }),
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

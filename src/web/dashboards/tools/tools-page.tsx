import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ToolStats } from '../../../api/usage.ts';
import type { ToolDays } from '../../../api/work.ts';
import { addDays } from '../../../domain/days.ts';
import { formatCount, formatElapsed, formatShare, formatShortDay } from '../../../reading/format.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { showToolName } from '../../../reading/tool-call.ts';
import { CLIENTS } from '../../api/client.ts';
import { ZONE } from '../../api/queries.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useRealm } from '../../routing/realm.ts';
import { Dashboard, Loaded, Section } from '../frame.tsx';
import { type Column, FigureTable } from '../figure-table.tsx';
import { type Period, PeriodPicker, today, usePeriod } from '../periods.tsx';
import { useFilter } from '../use-filter.ts';
import charts from '../../charts/charts.module.css';
import styles from '../dashboard.module.css';
import { ToolCalls } from './tool-calls.tsx';

const MAX_TOOLS = 1_000;

function useTools(period: Period) {
  const { base } = useRealm();
  return useQuery({
    queryKey: [base, 'tools', period],
    queryFn: async ({ signal }) => {
      const query = { ...within(period), zone: ZONE };
      const [{ tools }, days] = await Promise.all([
        CLIENTS[base].get('/tools', { query: { ...query, limit: MAX_TOOLS }, signal }),
        CLIENTS[base].get('/tools/days', { query, signal }),
      ]);
      return { tools, days };
    },
    placeholderData: keepPreviousData,
  });
}

/** The sessions of a period as a filter. */
function within(period: Period): { readonly q?: string } {
  const q = sessionsQuery(period);
  return q === '' ? {} : { q };
}

/** Which tools were called, how long they took and how often they failed; a tool opens its calls. */
export function ToolsPage() {
  const [filter] = useFilter('tools');
  const period = usePeriod('tools');
  const query = useTools(period);
  const { tool, status } = filter;
  return (
    <Dashboard name="tools" head={<PeriodPicker name="tools" />}>
      <Loaded what="Counting calls" query={query}>
        {({ tools, days }) => (
          <ToolTable
            tools={tool === undefined ? tools : tools.filter(({ name }) => name === tool)}
            days={days}
            period={period}
          />
        )}
      </Loaded>
      {tool !== undefined && (
        <Section title={`${status === 'error' ? 'Failed ' : ''}${showToolName(tool)} calls`}>
          <p>
            <PageLink className="button" page={toolsPage(filter, {})}>
              All tools
            </PageLink>
          </p>
          <ToolCalls key={`${tool} ${status}`} tool={tool} status={status} filter={within(period)} />
        </Section>
      )}
    </Dashboard>
  );
}

type Filter = ReturnType<typeof useFilter>[0];

function toolsPage({ days }: Filter, chosen: Pick<Filter, 'tool' | 'status'>) {
  return { kind: 'dashboard', name: 'tools', filter: { ...(days === undefined ? {} : { days }), ...chosen } } as const;
}

const COLUMNS: readonly Column[] = [
  { title: 'Tool' },
  { title: 'Calls' },
  { title: 'Sessions', isWide: true },
  { title: 'Failed' },
  { title: 'Denied', isWide: true },
  { title: 'Median' },
  { title: 'P95' },
  { title: 'Longest', isWide: true },
];

/** The course is that of the last days with calls, however long the period is. */
function columnsFor({ since, until }: Period, { days }: ToolDays): readonly Column[] {
  const isLonger = since === null || until === null || addDays(since, SHOWN_DAYS) <= until;
  return [...COLUMNS, { title: isLonger ? lastDays(days.at(-1) ?? today()) : 'By day', isWide: true }];
}

function lastDays(last: string): string {
  return last === today() ? `Last ${SHOWN_DAYS} days` : `${SHOWN_DAYS} days to ${formatShortDay(last)}`;
}

const SHOWN_DAYS = 30;

interface ToolTableProps {
  readonly tools: readonly ToolStats[];
  readonly days: ToolDays;
  readonly period: Period;
}

function ToolTable({ tools, days, period }: ToolTableProps) {
  if (tools.length === 0) return <p className={styles['note']}>No tool was called in this period.</p>;
  const calls = new Map(days.tools.map((tool) => [tool.name, tool.calls]));
  return (
    <FigureTable label="Tools" columns={columnsFor(period, days)}>
      {tools.map((tool) => (
        <ToolRow key={tool.name} tool={tool} period={period} byDay={calls.get(tool.name) ?? []} />
      ))}
    </FigureTable>
  );
}

interface ToolRowProps {
  readonly tool: ToolStats;
  readonly period: Period;
  readonly byDay: readonly number[];
}

function ToolRow({ tool, period, byDay }: ToolRowProps) {
  const [filter] = useFilter('tools');
  const { name, calls, sessions, errors, denied, median_ms, p95_ms, longest_ms } = tool;
  const ofCalls = toolsPage(filter, { tool: name });
  return (
    <tr>
      <th scope="row">
        <PageLink page={ofCalls}>
          <bdi title={name}>{showToolName(name)}</bdi>
        </PageLink>
      </th>
      <td>
        <PageLink page={ofCalls}>{formatCount(calls)}</PageLink>
      </td>
      <td className={styles['wide']}>
        <PageLink page={{ kind: 'list', q: sessionsQuery({ ...period, tool: name }) }}>
          {formatCount(sessions)}
        </PageLink>
      </td>
      <td className={errors > 0 ? styles['bad'] : undefined}>
        {errors === 0 ? (
          '–'
        ) : (
          <PageLink page={toolsPage(filter, { tool: name, status: 'error' })}>{formatShare(errors, calls)}</PageLink>
        )}
      </td>
      <td className={styles['wide']}>{denied === 0 ? '–' : formatShare(denied, calls)}</td>
      <td>{formatElapsed(median_ms)}</td>
      <td>{formatElapsed(p95_ms)}</td>
      <td className={styles['wide']}>{formatElapsed(longest_ms)}</td>
      <td className={styles['wide']}>
        <Sparkline values={byDay} />
      </td>
    </tr>
  );
}

const SPARK = { widthPx: 96, heightPx: 20, padPx: 1 };

/** Values from old to new, as small as a word. The figures beside it say the same in text. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  const { widthPx, heightPx, padPx } = SPARK;
  const max = Math.max(...values, 0);
  const stepPx = widthPx / Math.max(values.length - 1, 1);
  const points = values.map((value, index) => {
    const share = max === 0 ? 0 : value / max;
    return `${round(index * stepPx)},${round(heightPx - padPx - share * (heightPx - 2 * padPx))}`;
  });
  return (
    <svg className={charts['spark']} width={widthPx} height={heightPx} aria-hidden="true" focusable="false">
      <polygon className={charts['sparkArea']} points={`0,${heightPx} ${points.join(' ')} ${widthPx},${heightPx}`} />
      <polyline className={charts['sparkLine']} points={points.join(' ')} />
    </svg>
  );
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}

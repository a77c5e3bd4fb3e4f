import type { CostBreakdown, CostPeriods } from '../../../api/cost.ts';
import { cachedShare } from '../../../domain/cost.ts';
import {
  describeChange,
  type DaySpan,
  describeSpan,
  formatSums,
  labelOfSpan,
  modelsWithin,
  type ModelCost,
  nameOfSpan,
  rankModels,
  spansBetween,
  unitOfSpans,
} from '../../../reading/cost-view.ts';
import { formatNanos, formatCost, plural } from '../../../reading/format.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import chartStyles from '../../charts/charts.module.css';
import { TONES, toneOf } from '../../charts/scale.ts';
import { type BarColumn, StackedBars } from '../../charts/stacked-bars.tsx';
import { TextTable } from '../../charts/text-table.tsx';
import { PageLink } from '../../routing/page-link.tsx';
import { Dashboard, Loaded, Section } from '../frame.tsx';
import { type Period, PeriodPicker, usePeriod } from '../periods.tsx';
import styles from '../dashboard.module.css';
import { BudgetList } from './budget-list.tsx';
import { PlaceTable } from './place-table.tsx';
import { PriceTable } from './price-table.tsx';
import { useCostBreakdown, useCostPeriods, useActiveBlock } from './queries.ts';
import {
  formatBlockTime,
  formatBlockUse,
  formatBurnRate,
  formatProjection,
  formatTimeLeft,
} from '../../../reading/block-text.ts';

/** Token usage and cost. */
export function CostPage() {
  const period = usePeriod('cost');
  const breakdown = useCostBreakdown(period);
  return (
    <Dashboard name="cost">
      <Loaded what="Adding up" query={useCostPeriods()}>
        {(data) => <Periods periods={data.periods} />}
      </Loaded>
      <BudgetList />
      <div className={styles['head']}>
        <h2 className={styles['heading']}>Cost of {period.label}</h2>
        <PeriodPicker name="cost" />
      </div>
      <Loaded what="Adding up" query={breakdown}>
        {(data) => <Breakdown data={data} period={period} />}
      </Loaded>
    </Dashboard>
  );
}

const PERIOD_NAMES: Readonly<Record<number, readonly [name: string, before: string]>> = {
  1: ['Today', 'yesterday'],
  7: ['Last 7 days', 'in the 7 days before'],
  30: ['Last 30 days', 'in the 30 days before'],
};

function Periods({ periods }: { readonly periods: CostPeriods['periods'] }) {
  return (
    <div className={styles['cards']}>
      {periods.map(({ days, since, until, total, before }) => {
        const [name, beforeName] = PERIOD_NAMES[days] ?? [`Last ${days} days`, 'before'];
        const change = describeChange(total.cost_nanos, before.total.cost_nanos);
        return (
          <article key={days} className={styles['card']} aria-label={name}>
            <h2>{name}</h2>
            <PageLink className={styles['figure']} page={listOf({ since, until })}>
              {formatSums(total)}
            </PageLink>
            <p className={styles['note']}>{plural(total.sessions, 'session')}</p>
            <p className={styles['note']}>
              <PageLink page={listOf({ since: before.since, until: before.until })}>
                {formatSums(before.total)} {beforeName}
              </PageLink>
              {change === '–' ? '' : ` · ${change}`}
            </p>
          </article>
        );
      })}
      <BlockCard />
    </div>
  );
}

function listOf(behind: Parameters<typeof sessionsQuery>[0]) {
  return { kind: 'list', q: sessionsQuery(behind) } as const;
}

function Breakdown({ data, period }: { readonly data: CostBreakdown; readonly period: Period }) {
  const { since, until } = period;
  if (data.total.messages === 0) return <p className={styles['note']}>No usage in this period.</p>;
  return (
    <>
      <Days data={data} />
      <Section title="Cache">
        <CacheNote data={data} />
      </Section>
      <div className={styles['pair']}>
        <Section title="By workspace, branch and session">
          <PlaceTable places={data.places} period={{ ...period, since, until }} />
        </Section>
        <Section title="Prices">
          <PriceTable data={data} />
        </Section>
      </div>
    </>
  );
}

/** The days of the period; without one, from the first to the last usage. */
function spansOf({ days, since, until }: CostBreakdown): readonly DaySpan[] {
  const used = days.flatMap(({ day }) => (day === '' ? [] : [day]));
  const first = since ?? used[0];
  const last = until ?? used.at(-1);
  return first === undefined || last === undefined ? [] : spansBetween(first, last);
}

function Days({ data }: { readonly data: CostBreakdown }) {
  const ranked = rankModels(data.days, TONES);
  const spans = spansOf(data).map((span) => ({ ...span, models: modelsWithin(data.days, span, ranked) }));
  const columns = spans.map(
    ({ models, ...span }): BarColumn => ({
      key: span.first,
      label: labelOfSpan(span),
      text: describeSpan(span, models),
      parts: models.map(({ rank, costNanos }) => ({ rank, value: costNanos })),
      page: listOf({ since: span.first, until: span.last }),
    }),
  );
  return (
    <Section title={`By ${unitOfSpans(spans)} and model`}>
      <StackedBars
        name={`Cost by ${unitOfSpans(spans)} and model`}
        columns={columns}
        formatTick={(value) => formatNanos(value)}
      />
      <TextTable
        caption={`Cost by ${unitOfSpans(spans)} and model`}
        head={['Days', ...ranked.map(({ name }) => name)]}
        rows={spans.map(({ models, ...span }) => {
          const costs = ranked.map(({ rank }) => models.find((one) => one.rank === rank)?.costNanos ?? 0);
          return [nameOfSpan(span), ...costs.map((nanos) => formatNanos(nanos))];
        })}
      />
      <Legend ranked={ranked} data={data} />
    </Section>
  );
}

function Legend({ ranked, data }: { readonly ranked: readonly ModelCost[]; readonly data: CostBreakdown }) {
  const { since, until } = data;
  return (
    <ul className={styles['legend']} aria-label="Models">
      {ranked.map(({ name, models, rank, costNanos, isPriced }) => (
        <li key={rank}>
          <PageLink page={listOf({ since, until, models })}>
            <span className={`${chartStyles['swatch']} ${chartStyles[toneOf(rank)]}`} aria-hidden="true" />
            <bdi title={models.join(', ')}>{name}</bdi> <span>{isPriced ? formatNanos(costNanos) : 'no price'}</span>
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

function CacheNote({ data }: { readonly data: CostBreakdown }) {
  const { saved_usd, unknown_messages } = data.cache;
  if (unknown_messages === data.total.messages)
    return <p className={styles['note']}>Not known: these sessions were archived by an older version.</p>;
  const share = cachedShare(data.total);
  const verb = saved_usd < 0 ? 'cost' : 'saved';
  return (
    <p>
      The cache {verb} <strong>{formatCost(Math.abs(saved_usd))}</strong>
      {saved_usd < 0 && ' more than it saved'}
      {share !== null && `: ${Math.round(share * 100)}% of the input was read from it.`}{' '}
      <span className={styles['note']}>
        This is the price of the cached input without a cache, minus what reading and writing it cost.
        {unknown_messages > 0 &&
          ` ${plural(unknown_messages, 'message')} of sessions archived by an older version are not included.`}
      </span>
    </p>
  );
}

/** The current block of five hours, as Claude's limits count; nothing while there is none. */
function BlockCard() {
  const { data: block } = useActiveBlock();
  if (block === undefined || block === null) return null;
  return (
    <article className={styles['card']} aria-label="Current 5-hour block">
      <h2>5-hour block, {formatBlockTime(block)}</h2>
      <p className={styles['figure']}>{formatSums(block.total)}</p>
      <p className={styles['note']}>
        {formatTimeLeft(block)} left · {formatBurnRate(block)}
      </p>
      <p className={styles['note']} title={`Now ${formatBlockUse(block)}`}>
        {formatProjection(block)} expected at its end
      </p>
    </article>
  );
}

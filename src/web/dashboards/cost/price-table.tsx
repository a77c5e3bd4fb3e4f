import { useState } from 'react';
import type { CostBreakdown, PriceBookAnswer } from '../../../api/cost.ts';
import { nameOfModel } from '../../../reading/cost-view.ts';
import { formatNanos, formatCompact, formatCount, plural } from '../../../reading/format.ts';
import { FigureTable } from '../figure-table.tsx';
import { Loaded } from '../frame.tsx';
import styles from '../dashboard.module.css';
import { usePriceBook } from './queries.ts';

type Price = PriceBookAnswer['rows'][number];

const RATES = ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h'] as const;
const RATE_TITLES = ['Input', 'Output', 'Cache read', 'Write 5 min', 'Write 1 h'];
const columnsOf = (...more: readonly string[]) => ['Model', ...RATE_TITLES, ...more].map((title) => ({ title }));

/** The prices of the period, then the whole book: dollars per million tokens. */
export function PriceTable({ data }: { readonly data: CostBreakdown }) {
  const [isAll, setAll] = useState(false);
  const book = usePriceBook();
  const { book_date, sources, user_file } = data.prices;
  return (
    <>
      <p className={styles['note']}>
        {user_file !== null && (
          <>
            Your own prices in <code>{user_file}</code> come first.{' '}
          </>
        )}
        Built-in price list of {book_date} ({sources.join('; ')}). Dollars per million tokens.
      </p>
      {data.unknown_models.length > 0 && (
        <p className={styles['bad']}>
          No price for{' '}
          {data.unknown_models.map(({ model, tokens }) => `${model} (${formatCompact(tokens)} tokens)`).join(', ')}:
          tokens are counted, but their cost is not included.
        </p>
      )}
      <Loaded what="Loading prices" query={book}>
        {(prices) => (
          <>
            <RateTable rows={usedRates(data, prices)} />
            <p>
              <button type="button" className="button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
                {isAll ? 'Hide the price list' : `Show all ${plural(prices.rows.length, 'price')}`}
              </button>
            </p>
            {isAll && <Book prices={prices} />}
          </>
        )}
      </Loaded>
    </>
  );
}

interface UsedRate {
  /** Identifies the row: the name and the rates. */
  readonly key: string;
  /** As the transcripts write them. */
  readonly models: readonly string[];
  readonly name: string;
  readonly price: Price | undefined;
  readonly isLong: boolean;
  readonly messages: number;
  readonly costNanos: number;
}

/** One row for each price of a model; ids that are written differently are the same model. */
function usedRates({ rates }: CostBreakdown, { rows }: PriceBookAnswer): readonly UsedRate[] {
  const used = new Map<string, UsedRate>();
  for (const { model, rate_id, messages, cost_nanos } of rates) {
    const [id = '', ...marks] = rate_id.split('+');
    const name = [nameOfModel(model), ...marks.map((mark) => (mark === 'long' ? 'long context' : mark))].join(' + ');
    const price = rows.find((row) => row.id === id);
    const key = JSON.stringify([name, price?.usd_per_million, price?.long_context]);
    const before = used.get(key);
    used.set(key, {
      key,
      models: [...(before?.models ?? []), model],
      name,
      price,
      isLong: marks.includes('long'),
      messages: messages + (before?.messages ?? 0),
      costNanos: cost_nanos + (before?.costNanos ?? 0),
    });
  }
  return [...used.values()];
}

function RateTable({ rows }: { readonly rows: readonly UsedRate[] }) {
  return (
    <FigureTable label="Prices of this period" columns={columnsOf('Messages', 'Cost')}>
      {rows.map(({ key, models, name, price, isLong, messages, costNanos }) => (
        <tr key={key}>
          <th scope="row">
            <bdi title={models.join(', ')}>{name}</bdi>
          </th>
          <Rates price={price} isLong={isLong} />
          <td>{formatCount(messages)}</td>
          <td>{price === undefined ? 'no price' : formatNanos(costNanos)}</td>
        </tr>
      ))}
    </FigureTable>
  );
}

function Rates({ price, isLong }: { readonly price: Price | undefined; readonly isLong: boolean }) {
  const rates = isLong ? (price?.long_context?.usd_per_million ?? price?.usd_per_million) : price?.usd_per_million;
  return RATES.map((name) => <td key={name}>{rates === undefined ? '–' : String(rates[name])}</td>);
}

function Book({ prices }: { readonly prices: PriceBookAnswer }) {
  return (
    <FigureTable label="Price list" columns={columnsOf('Days', 'Source')}>
      {prices.rows.map((row) => (
        <tr key={row.id}>
          <th scope="row" title={[row.models.join(', '), row.remark].filter(Boolean).join('\n')}>
            {row.id}
          </th>
          <Rates price={row} isLong={false} />
          <td>{daysOf(row)}</td>
          <td>{row.source}</td>
        </tr>
      ))}
    </FigureTable>
  );
}

function daysOf({ from, until }: Price): string {
  if (from === null) return until === null ? 'always' : `until ${until}`;
  return until === null ? `from ${from}` : `${from} to ${until}`;
}

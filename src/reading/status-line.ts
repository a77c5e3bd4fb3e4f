import type { BudgetPeriod } from '../domain/budget.ts';
import type { StatusInput } from '../domain/status-input.ts';
import { PERIOD_NAMES } from './budget-text.ts';
import { formatCost, formatDuration } from './format.ts';

/** The fields of a format, and what each shows. */
export const STATUS_FIELDS = {
  model: 'the model',
  context: 'how full the context window is',
  session_cost: 'the cost of this session, as Claude Code counts it; else as stored',
  today_cost: 'the cost of today, over all sessions',
  block_cost: 'the cost of the current 5-hour block',
  block_left: 'the time until the block ends',
  block_projection: 'the cost at its end, at the current rate',
  burn_rate: 'the cost per hour in this block',
  budget: 'what is left of the tightest budget',
  limit_5h: 'the share of the 5-hour limit that is used (subscriptions only)',
  limit_7d: 'the same for seven days',
} as const;
export type StatusField = keyof typeof STATUS_FIELDS;

export const DEFAULT_STATUS_FORMAT =
  '{model} | {context} context | {session_cost} session | {today_cost} today | {block_cost} block, {block_left} left, {burn_rate} | {budget}';

export type StatusTone = 'plain' | 'warn' | 'bad';

interface Value {
  readonly text: string;
  readonly tone: StatusTone;
}

export interface StatusBudget {
  readonly period: BudgetPeriod;
  readonly isHere: boolean;
  readonly leftUsd: number;
  /** Share that is spent. */
  readonly share: number;
}

export interface StatusFacts {
  readonly input: Pick<StatusInput, 'model' | 'contextPercent' | 'sessionUsd' | 'fiveHourPercent' | 'sevenDayPercent'>;
  readonly sessionUsd: number | null;
  readonly todayUsd: number | null;
  readonly block: {
    readonly usd: number;
    readonly leftMs: number;
    readonly usdPerHour: number;
    readonly projectedUsd: number;
  } | null;
  readonly budgets: readonly StatusBudget[];
}

/** From these shares on, a context window or a limit is yellow or red; a budget turns red at 100%. */
const WARN_PERCENT = 80;
const BAD_PERCENT = 90;

const VALUES: Readonly<Record<StatusField, (facts: StatusFacts) => Value | null>> = {
  model: ({ input }) => plain(input.model),
  context: ({ input }) => percent(input.contextPercent),
  session_cost: ({ input, sessionUsd }) => cost(input.sessionUsd ?? sessionUsd),
  today_cost: ({ todayUsd }) => cost(todayUsd),
  block_cost: ({ block }) => cost(block?.usd ?? null),
  block_left: ({ block }) => plain(block && formatDuration(block.leftMs)),
  block_projection: ({ block }) => cost(block?.projectedUsd ?? null),
  burn_rate: ({ block }) => plain(block && `${formatCost(block.usdPerHour)}/h`),
  budget: ({ budgets }) => budget(budgets),
  limit_5h: ({ input }) => percent(input.fiveHourPercent),
  limit_7d: ({ input }) => percent(input.sevenDayPercent),
};

function plain(text: string | null): Value | null {
  return text === null ? null : { text, tone: 'plain' };
}

function cost(usd: number | null): Value | null {
  return usd === null ? null : { text: usd === 0 ? '$0.00' : formatCost(usd), tone: 'plain' };
}

function percent(value: number | null): Value | null {
  if (value === null) return null;
  const tone = value >= BAD_PERCENT ? 'bad' : value >= WARN_PERCENT ? 'warn' : 'plain';
  return { text: `${Math.round(value)}%`, tone };
}

function budget(budgets: readonly StatusBudget[]): Value | null {
  const [tightest] = budgets.toSorted((a, b) => b.share - a.share);
  if (tightest === undefined) return null;
  const { leftUsd, share, period, isHere } = tightest;
  const left = leftUsd < 0 ? `${formatCost(-leftUsd)} over budget` : `${cost(leftUsd)?.text} left`;
  const tone = share >= 1 ? 'bad' : share * 100 >= WARN_PERCENT ? 'warn' : 'plain';
  return { text: `${left} ${PERIOD_NAMES[period]}${isHere ? ' here' : ''}`, tone };
}

const FIELD = /\{([a-z0-9_]+)\}/g;
const SEPARATOR = ' | ';

/** The names in a format that are not fields. */
export function unknownFields(format: string): readonly string[] {
  return [...format.matchAll(FIELD)].map(([, name = '']) => name).filter((name) => !Object.hasOwn(STATUS_FIELDS, name));
}

export interface StatusPart {
  readonly text: string;
  readonly tone: StatusTone;
}

/**
 * The parts of a line, which `|` separates in the format. A part without any known value is left out, and parts from the
 * end are left out until the rest fits; the first one is always there.
 */
export function statusParts(
  format: string,
  facts: StatusFacts,
  { columns, widthOf }: { readonly columns: number; readonly widthOf: (text: string) => number },
): readonly StatusPart[] {
  const parts = format.split('|').flatMap((part) => fill(part.trim(), facts));
  let shown = parts.length;
  const width = () =>
    widthOf(
      parts
        .slice(0, shown)
        .map(({ text }) => text)
        .join(SEPARATOR),
    );
  while (shown > 1 && width() > columns) shown -= 1;
  return parts.slice(0, shown);
}

const TONES: readonly StatusTone[] = ['plain', 'warn', 'bad'];

function fill(part: string, facts: StatusFacts): readonly StatusPart[] {
  const values: Value[] = [];
  let isFilled = !FIELD.test(part);
  FIELD.lastIndex = 0;
  const text = part.replaceAll(FIELD, (written, name: string) => {
    // A misspelled field stays visible.
    const value = Object.hasOwn(VALUES, name) ? VALUES[name as StatusField](facts) : plain(written);
    if (value === null) return '';
    isFilled = true;
    values.push(value);
    return value.text;
  });
  const tone = TONES.findLast((one) => values.some((value) => value.tone === one)) ?? 'plain';
  const clean = text.replaceAll(/\s+/g, ' ').trim();
  return isFilled && clean !== '' ? [{ text: clean, tone }] : [];
}

import { parseJson } from './json.ts';

/** What Claude Code reports to a status line about its session. Every field may be missing. */
export interface StatusInput {
  readonly sessionId: string | null;
  readonly transcriptPath: string | null;
  readonly model: string | null;
  /** What the client itself counted. */
  readonly sessionUsd: number | null;
  /** Percent of the context window that is used. */
  readonly contextPercent: number | null;
  /** Percent of the limits of a subscription. */
  readonly fiveHourPercent: number | null;
  readonly sevenDayPercent: number | null;
  readonly columns: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the JSON of the client; fields that are missing or of another type are null. Invalid input is an empty object. */
export function readStatusInput(text: string): StatusInput {
  const root = objectOf(parseJson(text));
  const model = objectOf(root['model']);
  const window = objectOf(root['context_window']);
  const limits = objectOf(root['rate_limits']);
  return {
    sessionId: textOf(root['session_id']),
    transcriptPath: textOf(root['transcript_path']),
    model: textOf(model['display_name']) ?? textOf(model['id']) ?? textOf(root['model']),
    sessionUsd: numberOf(objectOf(root['cost'])['total_cost_usd']),
    contextPercent: numberOf(window['used_percentage']) ?? usedOf(window),
    fiveHourPercent: numberOf(objectOf(limits['five_hour'])['used_percentage']),
    sevenDayPercent: numberOf(objectOf(limits['seven_day'])['used_percentage']),
    columns: numberOf(objectOf(root['terminal'])['columns']) ?? numberOf(root['columns']),
  };
}

/** Clients before 2.1.6 gave the tokens of the last answer instead of a percentage. */
function usedOf(window: Fields): number | null {
  const size = numberOf(window['context_window_size']);
  const usage = objectOf(window['current_usage']);
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((name) =>
    numberOf(usage[name]),
  );
  if (size === null || size === 0 || parts.every((part) => part === null)) return null;
  return (parts.reduce((sum: number, part) => sum + (part ?? 0), 0) / size) * 100;
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Neither negative nor infinite. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

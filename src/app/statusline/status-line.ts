import { statSync } from 'node:fs';
import { type Config, databasePath } from '../../config.ts';
import { paceOf } from '../../domain/blocks.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/durations.ts';
import { readStatusInput, type StatusInput } from '../../domain/status-input.ts';
import { dollars, SLOT_MS } from '../../domain/usage.ts';
import { createSystemCalendar } from '../../lib/calendar.ts';
import { fitWidth, textWidth, visibleLine } from '../../lib/terminal-text.ts';
import { shortModel } from '../../reading/format.ts';
import { DEFAULT_STATUS_FORMAT, type StatusFacts, type StatusPart, statusParts } from '../../reading/status-line.ts';
import { locateStore } from '../../store/location.ts';
import { openForStatusLine } from '../../store/open-for-status-line.ts';
import {
  type RunQuery,
  readParsedBytes,
  readStatusFigures,
  type SlotUse,
  type StatusFigures,
} from '../../store/queries/usage/status-figures.ts';

export interface StatusLineOptions {
  /** Null if the configuration cannot be read: the line then shows only what the client reports. */
  readonly config: Pick<Config, 'home' | 'databaseUrl' | 'statuslineFormat' | 'statuslineColor'> | null;
  /** Instead of the configured format. */
  readonly format: string | null;
  readonly hasColor: boolean;
  /** Of the terminal; null if unknown. */
  readonly columns: number | null;
  readonly now: Date;
}

/** The default width: wider than most terminals, since the client truncates the line anyway. */
const DEFAULT_COLUMNS = 200;

/** The status line for what the client wrote to standard input. Whatever fails is left out; nothing is thrown. */
export async function makeStatusLine(text: string, options: StatusLineOptions): Promise<string> {
  const input = readStatusInput(text);
  const facts = toFacts(input, await readStore(input, options), options.now);
  const columns = options.columns ?? input.columns ?? DEFAULT_COLUMNS;
  const format = options.format ?? options.config?.statuslineFormat ?? DEFAULT_STATUS_FORMAT;
  const parts = statusParts(format, facts, { columns, widthOf: textWidth });
  return draw(parts, columns, options.hasColor && options.config?.statuslineColor !== false);
}

const CODES = { plain: 0, warn: 33, bad: 31 } as const;
const DIM = 2;

function draw(parts: readonly StatusPart[], columns: number, hasColor: boolean): string {
  const [only] = parts;
  // Only the first part can be too wide: more than one is shown only if all fit.
  const shown = parts.length === 1 && only !== undefined ? [{ ...only, text: fitWidth(only.text, columns) }] : parts;
  const paint = (code: number, text: string) => (hasColor && code > 0 ? `\u001b[${code}m${text}\u001b[0m` : text);
  return shown.map(({ text, tone }) => paint(CODES[tone], text)).join(paint(DIM, ' | '));
}

/** Null if there is no store, or if it cannot be read now. */
async function readStore(input: StatusInput, { config, now }: StatusLineOptions): Promise<StatusFigures | null> {
  if (config === null) return null;
  try {
    const { databaseUrl, home } = config;
    const opened = await openForStatusLine(locateStore({ databaseUrl, sqlitePath: databasePath(home) }));
    if (opened === null) return null;
    try {
      return await readFigures(opened.runQuery, input, { home, now });
    } finally {
      await opened.close();
    }
  } catch {
    // A missing, locked, damaged or newer database must not disturb the client; `fuel-code doctor` says what is wrong.
    return null;
  }
}

async function readFigures(
  runQuery: RunQuery,
  input: StatusInput,
  { home, now }: { readonly home: string; readonly now: Date },
): Promise<StatusFigures> {
  const calendar = createSystemCalendar();
  const beyond = await readBeyond(runQuery, input, home);
  return readStatusFigures(runQuery, { sessionId: input.sessionId, now, calendar, beyond });
}

/** What was appended to the transcript of this session since the last import. */
async function readBeyond(runQuery: RunQuery, input: StatusInput, home: string): Promise<readonly SlotUse[]> {
  const { sessionId, transcriptPath: path } = input;
  if (sessionId === null || path === null) return [];
  try {
    const from = await readParsedBytes(runQuery, sessionId);
    if (from === null || statSync(path).size <= from) return [];
    // Loaded only if there is something to read.
    const { readAppended } = await import('./appended.ts');
    return await readAppended(runQuery, { sessionId, path, from, home });
  } catch {
    // A transcript that does not exist yet, or prices that cannot be read: the stored figures are still true.
    return [];
  }
}

function toFacts(input: StatusInput, figures: StatusFigures | null, now: Date): StatusFacts {
  return {
    input: { ...input, model: input.model === null ? null : modelName(input.model) },
    sessionUsd: figures === null || figures.sessionNanos === null ? null : dollars(figures.sessionNanos),
    todayUsd: figures === null ? null : dollars(figures.todayNanos),
    block: figures === null ? null : blockFacts(figures, now),
    budgets: (figures?.budgets ?? []).map(({ period, isHere, amountNanos, spentNanos }) => ({
      period,
      isHere,
      leftUsd: dollars(amountNanos - spentNanos),
      share: spentNanos / amountNanos,
    })),
  };
}

const MAX_MODEL_COLUMNS = 40;

function modelName(given: string): string {
  return fitWidth(visibleLine(shortModel(given)), MAX_MODEL_COLUMNS);
}

function blockFacts({ block }: StatusFigures, now: Date): StatusFacts['block'] {
  if (block === null) return null;
  const nanos = block.cells.reduce((sum, { costNanos }) => sum + costNanos, 0);
  const { perMinute, projected } = paceOf(nanos, block, now);
  return {
    usd: dollars(nanos),
    leftMs: block.end * SLOT_MS - now.getTime(),
    usdPerHour: dollars((perMinute * HOUR_MS) / MINUTE_MS),
    projectedUsd: dollars(projected),
  };
}

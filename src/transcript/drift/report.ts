import { z } from 'zod';

/**
 * `line_type`: a type of line we do not know. `variant`: a kind of system line, attachment, block … we do not know.
 * `field`: a field we do not know. `json_type`: a known field with another JSON type.
 */
export type DriftKind = 'line_type' | 'variant' | 'field' | 'json_type';

/** One thing the schemas do not know, seen in one Claude Code version. Names, types and counts only, never values. */
export interface DriftEntry {
  readonly version: string;
  readonly kind: DriftKind;
  /** For example `assistant.message.usage.foo`, `user.message.content[]<tool_result>.bar`, `system<new_kind>`. */
  readonly path: string;
  readonly count: number;
  /** JSON type of the first one seen. */
  readonly exampleType: string;
}

export interface DriftReport {
  /** Lines looked at. */
  readonly records: number;
  /** By version, then path. */
  readonly entries: readonly DriftEntry[];
  /** Finds that are not in `entries`, because there are too many different ones. */
  readonly overflow: number;
}

/** Different finds kept; further ones only count. */
export const MAX_DRIFT_ENTRIES = 2000;

export const EMPTY_DRIFT: DriftReport = { records: 0, entries: [], overflow: 0 };

const reportSchema = z.object({
  records: z.int().nonnegative(),
  entries: z
    .array(
      z.object({
        version: z.string(),
        kind: z.enum(['line_type', 'variant', 'field', 'json_type']),
        path: z.string(),
        count: z.int().nonnegative(),
        exampleType: z.string(),
      }),
    )
    .max(MAX_DRIFT_ENTRIES),
  overflow: z.int().nonnegative(),
});

/** A stored report read back; null when it is not one. */
export function readDriftReport(value: unknown): DriftReport | null {
  return reportSchema.safeParse(value).data ?? null;
}

/** Sum of reports. The order of the arguments decides only which finds overflow. */
export function mergeDrift(...reports: readonly DriftReport[]): DriftReport {
  const tally = createTally();
  let records = 0;
  for (const report of reports) {
    records += report.records;
    for (const entry of report.entries) tally.add(entry);
    tally.lose(report.overflow);
  }
  return { records, ...tally.result() };
}

interface Tally {
  add(entry: DriftEntry): void;
  lose(count: number): void;
  result(): Pick<DriftReport, 'entries' | 'overflow'>;
}

export function createTally(): Tally {
  const entries = new Map<string, DriftEntry>();
  let overflow = 0;
  return {
    add(entry) {
      const key = `${entry.version}\n${entry.kind}\n${entry.path}`;
      const old = entries.get(key);
      if (old) entries.set(key, { ...old, count: old.count + entry.count });
      else if (entries.size < MAX_DRIFT_ENTRIES) entries.set(key, entry);
      else overflow += entry.count;
    },
    lose(count) {
      overflow += count;
    },
    result: () => ({ entries: [...entries.values()].sort(byVersionAndPath), overflow }),
  };
}

function byVersionAndPath(a: DriftEntry, b: DriftEntry): number {
  return compare(a.version, b.version) || compare(a.path, b.path) || compare(a.kind, b.kind);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

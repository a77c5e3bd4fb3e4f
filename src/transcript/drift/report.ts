import { z } from 'zod';
import { UNKNOWN_VERSION } from './path.ts';

const DRIFT_KINDS = ['line_type', 'variant', 'field', 'value', 'json_type'] as const;

/**
 * `line_type`: an unknown type of line. `variant`: an unknown kind of system line, attachment, block … `field`: an unknown
 * field. `value`: an unknown value of a field with a fixed set of values. `json_type`: a known field with another JSON type.
 */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** One thing the schemas do not know, seen in one Claude Code version. Names, types and counts only, never values. */
export interface DriftEntry {
  readonly version: string;
  readonly kind: DriftKind;
  /** For example `assistant.message.usage.foo`, `system<new_kind>`, `user.permissionMode=new_mode`. */
  readonly path: string;
  readonly count: number;
  /** JSON type of the first one seen. */
  readonly exampleType: string;
}

/** How many records of one Claude Code version were checked, and how many of them are known in full. */
export interface VersionCount {
  readonly version: string;
  readonly records: number;
  readonly known: number;
}

export interface DriftReport {
  /** By version. */
  readonly versions: readonly VersionCount[];
  /** By version, then path. */
  readonly entries: readonly DriftEntry[];
  /** Finds that are not in `entries`, because there are too many different ones. */
  readonly overflow: number;
}

/** Different finds kept; further ones only count. */
export const MAX_DRIFT_ENTRIES = 2000;
/** Different versions kept; records of further ones count for `unknown`. */
const MAX_DRIFT_VERSIONS = 500;

export const EMPTY_DRIFT: DriftReport = { versions: [], entries: [], overflow: 0 };

const count = z.int().nonnegative();

const reportSchema = z.object({
  versions: z.array(z.object({ version: z.string(), records: count, known: count })).max(MAX_DRIFT_VERSIONS),
  entries: z
    .array(
      z.object({
        version: z.string(),
        kind: z.enum(DRIFT_KINDS),
        path: z.string(),
        count,
        exampleType: z.string(),
      }),
    )
    .max(MAX_DRIFT_ENTRIES),
  overflow: count,
});

/** A stored report read back; null when it is not one. */
export function readDriftReport(value: unknown): DriftReport | null {
  return reportSchema.safeParse(value).data ?? null;
}

/** Sum of reports. The order of the arguments decides only which finds overflow. */
export function mergeDrift(...reports: readonly DriftReport[]): DriftReport {
  const tally = createTally();
  for (const report of reports) {
    for (const version of report.versions) tally.count(version);
    for (const entry of report.entries) tally.add(entry);
    tally.lose(report.overflow);
  }
  return tally.result();
}

interface Tally {
  add(entry: DriftEntry): void;
  count(version: VersionCount): void;
  lose(count: number): void;
  result(): DriftReport;
}

export function createTally(): Tally {
  const entries = new Map<string, DriftEntry>();
  const versions = new Map<string, { records: number; known: number }>();
  let overflow = 0;
  return {
    add(entry) {
      const key = `${entry.version}\n${entry.kind}\n${entry.path}`;
      const old = entries.get(key);
      if (old) entries.set(key, { ...old, count: old.count + entry.count });
      else if (entries.size < MAX_DRIFT_ENTRIES) entries.set(key, entry);
      else overflow += entry.count;
    },
    count({ version, records, known }) {
      const name = versions.has(version) || versions.size < MAX_DRIFT_VERSIONS - 1 ? version : UNKNOWN_VERSION;
      const counts = versions.get(name) ?? { records: 0, known: 0 };
      counts.records += records;
      counts.known += known;
      versions.set(name, counts);
    },
    lose(count) {
      overflow += count;
    },
    result: () => ({
      versions: [...versions]
        .map(([version, counts]) => ({ version, ...counts }))
        .sort((a, b) => compare(a.version, b.version)),
      entries: [...entries.values()].sort(byVersionAndPath),
      overflow,
    }),
  };
}

function byVersionAndPath(a: DriftEntry, b: DriftEntry): number {
  return compare(a.version, b.version) || compare(a.path, b.path) || compare(a.kind, b.kind);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

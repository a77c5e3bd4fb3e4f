import type { FormatDrift, UnknownShape, VersionRecords } from '../domain/transcript-lists.ts';
import { jsonTypeOf, knowsAll } from './schema/fields.ts';
import { lineFields } from './schema/lines.ts';
import { type Step, walkFields } from './schema/walk-fields.ts';

/** Names longer than this, or that do not look like an identifier, may be user data and are not shown. */
const MAX_NAME_CHARS = 64;
/** Replaces a name that is not shown. */
const HIDDEN_NAME = '(hidden)';
/** Version used for records before the first line with a version. */
const UNKNOWN_VERSION = 'unknown';
const MAX_VERSION_CHARS = 32;

function safeName(name: string): string {
  return name.length <= MAX_NAME_CHARS && /^[\w$?-]+$/.test(name) ? name : HIDDEN_NAME;
}

/** Longer values are more likely to be user data than names chosen by the client. */
const MAX_VALUE_CHARS = 32;

function safeValue(value: string): string {
  return value.length <= MAX_VALUE_CHARS && /^[A-Za-z][A-Za-z_:-]*$/.test(value) ? value : HIDDEN_NAME;
}

function safeVersion(version: string | null | undefined): string {
  if (!version || version.length > MAX_VERSION_CHARS) return UNKNOWN_VERSION;
  return /^\d[\w.+-]*$/.test(version) ? version : UNKNOWN_VERSION;
}

/** The path without indices and without keys that are user data. */
function driftPath(lineType: string, path: readonly Step[]): string {
  let shown = lineType;
  for (const step of path) {
    if (step.kind === 'index') shown += '[]';
    else if (step.kind === 'key') shown += '.*';
    else if (step.kind === 'value') shown += `=${safeValue(step.name)}`;
    else if (step.kind === 'variant') shown += step.name === '' ? '' : `<${safeName(step.name)}>`;
    else shown += `.${safeName(step.name)}`;
  }
  return shown;
}

/**
 * `line_type`: unknown line type. `variant`: unknown kind of system line, attachment, block and so on. `field`: unknown
 * field. `value`: unknown value of a field with a fixed set of values. `json_type`: known field with another JSON type.
 */
type DriftKind = 'line_type' | 'variant' | 'field' | 'value' | 'json_type';

/** Something unknown to the schemas, seen in one Claude Code version. Names, types and counts only, never values. */
export interface DriftEntry {
  readonly version: string;
  readonly kind: DriftKind;
  /** For example `assistant.message.usage.foo`, `system<new_kind>`, `user.permissionMode=new_mode`. */
  readonly path: string;
  readonly count: number;
  /** JSON type of the first occurrence. */
  readonly exampleType: string;
}

export interface DriftReport {
  /** Sorted by version. */
  readonly versions: readonly VersionRecords[];
  /** Sorted by version, then path. */
  readonly entries: readonly DriftEntry[];
  /** Occurrences missing from `entries` because there were too many different ones. */
  readonly overflow: number;
}

/** Maximum number of different entries kept; further ones are only counted. */
export const MAX_DRIFT_ENTRIES = 2000;
/** Maximum number of versions kept; records of further ones are counted as `unknown`. */
const MAX_DRIFT_VERSIONS = 500;

/** Sum of reports. The order of the arguments only decides which entries overflow. */
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
  count(version: VersionRecords): void;
  lose(count: number): void;
  result(): DriftReport;
}

function createTally(): Tally {
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

export interface Drift {
  /**
   * Checks one parsed line. `version` is the Claude Code version in effect: the line's own, or the last one seen, since
   * many lines carry none. Never throws and keeps no reference to the record.
   */
  see(record: unknown, version: string | null): void;
  report(): DriftReport;
}

/** Counts fields and values unknown to the schemas, per Claude Code version. One lookup per field; zod does not run. */
export function createDrift(): Drift {
  const table = lineFields();
  const tally = createTally();

  function note(version: string | null, kind: DriftKind, path: string, exampleType: string): void {
    tally.add({ version: safeVersion(version), kind, path, count: 1, exampleType });
  }

  return {
    see(record, version) {
      const type = typeOfLine(record);
      const node = type === null ? undefined : table.get(type);
      const isKnown = node !== undefined && knowsAll(node, record);
      tally.count({ version: safeVersion(version), records: 1, known: isKnown ? 1 : 0 });
      if (isKnown) return;
      if (type === null || !node) return note(version, 'line_type', type ?? HIDDEN_NAME, jsonTypeOf(record));
      walkFields(node, record, (kind, path, jsonType) => note(version, kind, driftPath(type, path), jsonType));
    },
    report: () => tally.result(),
  };
}

function typeOfLine(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'type')) return null;
  const { type } = record as { readonly type?: unknown };
  return typeof type === 'string' ? safeName(type) : null;
}

const WHAT: Readonly<Record<DriftKind, UnknownShape['what']>> = {
  line_type: 'line',
  variant: 'kind',
  field: 'field',
  value: 'value',
  json_type: 'type',
};

/** A report in its stored form. Lines before the first version were written by the client of that version. */
export function formatDrift({ versions, entries }: DriftReport, firstVersion: string | undefined): FormatDrift {
  const nameOf = (version: string) => (version === UNKNOWN_VERSION ? safeVersion(firstVersion) : version);
  const records = new Map<string, VersionRecords>();
  for (const { version, ...counts } of versions) {
    const name = nameOf(version);
    const before = records.get(name);
    records.set(name, {
      version: name,
      records: counts.records + (before?.records ?? 0),
      known: counts.known + (before?.known ?? 0),
    });
  }
  const unknown = new Map<string, UnknownShape>();
  for (const { kind, path, version, count } of entries) {
    const shape = { what: WHAT[kind], name: path, version: nameOf(version) };
    const key = JSON.stringify(shape);
    unknown.set(key, { ...shape, count: count + (unknown.get(key)?.count ?? 0) });
  }
  return { versions: [...records.values()], unknown: [...unknown.values()] };
}

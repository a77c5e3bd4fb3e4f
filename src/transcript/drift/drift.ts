import { jsonTypeOf, knowsAll } from '../schema/fields.ts';
import { lineFields } from '../schema/line-fields.ts';
import { walkFields } from '../schema/walk-fields.ts';
import { driftPath, HIDDEN_NAME, safeName, safeVersion } from './path.ts';
import { createTally, type DriftKind, type DriftReport } from './report.ts';

export interface Drift {
  /**
   * Looks at one parsed line. `version` is the Claude Code version in force: the line's own, or the last one seen,
   * since many lines carry none. Never throws, keeps no reference to the record.
   */
  see(record: unknown, version: string | null): void;
  report(): DriftReport;
}

/** Counts what the schemas do not know, per Claude Code version. Costs a look-up per field; zod does not run. */
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

import type { DriftAnswer } from '../../../api/server.ts';
import type { Tx } from '../../engine.ts';
import { ofCurrentRevision } from '../../sql.ts';

const MAX_SHAPES = 2_000;

/** How much of the current transcripts the schemas cover, per client version, and what they do not cover. */
export async function readDrift(db: Tx): Promise<DriftAnswer> {
  const versions = await readVersions(db);
  const records = versions.reduce((sum, version) => sum + version.records, 0);
  const known = versions.reduce((sum, version) => sum + version.known, 0);
  return { records, known, pass_rate: rateOf(known, records), versions, shapes: await readShapes(db) };
}

/** Null when nothing was checked. */
function rateOf(known: number, records: number): number | null {
  return records === 0 ? null : known / records;
}

async function readVersions(db: Tx): Promise<DriftAnswer['versions']> {
  const rows = await db
    .selectFrom('format_versions as v')
    .innerJoin('sessions as s', ofCurrentRevision('v'))
    .select('v.cc_version')
    .select(({ fn, cast }) => [
      cast<number>(fn.sum('v.records'), 'bigint').as('records'),
      cast<number>(fn.sum('v.known'), 'bigint').as('known'),
      fn.count<number>('v.session_id').distinct().as('sessions'),
    ])
    .groupBy('v.cc_version')
    .execute();
  return rows
    .map((row) => ({ ...row, pass_rate: rateOf(row.known, row.records) }))
    .toSorted((a, b) => compareVersions(b.cc_version, a.cc_version));
}

/** 2.1.9 before 2.1.10; invalid versions come first. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

/**
 * Records of the newest client first, because they require an update of fuel-code; within a version, most frequent first.
 */
async function readShapes(db: Tx): Promise<DriftAnswer['shapes']> {
  const shapes = await db
    .selectFrom('unknown_shapes as u')
    .innerJoin('sessions as s', ofCurrentRevision('u'))
    .select(['u.what', 'u.name', 'u.cc_version'])
    .select(({ fn, cast }) => [
      cast<number>(fn.sum('u.count'), 'bigint').as('count'),
      fn.count<number>('u.session_id').distinct().as('sessions'),
    ])
    .groupBy(['u.what', 'u.name', 'u.cc_version'])
    .orderBy('count', 'desc')
    .orderBy('u.what')
    .orderBy('u.name')
    .orderBy('u.cc_version')
    .limit(MAX_SHAPES)
    .execute();
  return shapes.toSorted((a, b) => compareVersions(b.cc_version, a.cc_version) || b.count - a.count);
}

import type { DatabaseSync } from 'node:sqlite';

export type Row = Readonly<Record<string, unknown>>;

/** Larger row ids are not exact in JavaScript. */
const MAX_ROWID = Number.MAX_SAFE_INTEGER;

/**
 * Reads every readable row of a table and returns the number of failures. Reads from both ends: rows behind a damaged
 * page are reached by growing strides or from the other side.
 */
export function readRows(database: DatabaseSync, table: string, take: (row: Row) => void): number {
  const seen = new Set<number>();
  const takeOnce = ({ salvage_rowid, ...row }: Row) => {
    if (seen.has(Number(salvage_rowid))) return;
    seen.add(Number(salvage_rowid));
    take(row);
  };
  const gaps = readOneWay(database, table, 'up', takeOnce);
  return gaps === 0 ? 0 : Math.max(gaps, readOneWay(database, table, 'down', takeOnce));
}

function readOneWay(database: DatabaseSync, table: string, way: 'up' | 'down', take: (row: Row) => void): number {
  const [condition, order, step] = way === 'up' ? ['>', 'ASC', 1] : ['<', 'DESC', -1];
  const sql = `SELECT rowid AS salvage_rowid, * FROM ${table} WHERE rowid ${condition} ? ORDER BY rowid ${order}`;
  let gaps = 0;
  let at = way === 'up' ? -1 : MAX_ROWID;
  for (let stride = 1; at >= -1 && at <= MAX_ROWID; stride *= 2) {
    try {
      for (const row of database.prepare(sql).iterate(at)) {
        take(row);
        at = Number(row.salvage_rowid);
        stride = 1;
      }
      return gaps;
    } catch {
      if (stride === 1) gaps++;
      at += step * stride;
    }
  }
  return gaps;
}

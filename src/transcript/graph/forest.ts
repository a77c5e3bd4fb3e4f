import { NODE_KINDS, type UuidTable } from './uuid-table.ts';

/**
 * The uuid graph made safe to walk: every row has at most one row above it and no walk runs in circles.
 * Compaction cuts the chain; `logicalParentUuid` bridges the cut.
 */
export interface Forest {
  readonly table: UuidTable;
  /** Row above, -1 for a root. */
  readonly up: Int32Array;
  /** Rows in the order of their lines. */
  readonly byLine: Int32Array;
  readonly cycles: number;
  /** Rows that are named as parents but stand on no line. */
  readonly absentParents: number;
}

export function buildForest(table: UuidTable): Forest {
  const up = new Int32Array(table.size);
  let absentParents = 0;
  for (let row = 0; row < table.size; row += 1) {
    const parent = table.parent[row] as number;
    up[row] = parent >= 0 ? parent : (table.logicalParent[row] as number);
    if ((table.line[row] as number) < 0) absentParents += 1;
  }
  const cycles = breakCycles(table, up);
  return { table, up, byLine: rowsByLine(table), cycles, absentParents };
}

/** Follows every row upwards once; a walk that meets itself has found a cycle, cut above its earliest line. */
function breakCycles(table: UuidTable, up: Int32Array): number {
  const seenIn = new Int32Array(up.length);
  let cycles = 0;
  for (let start = 0; start < up.length; start += 1) {
    const walk = start + 1;
    let row = start;
    while (row >= 0 && seenIn[row] === 0) {
      seenIn[row] = walk;
      row = up[row] as number;
    }
    if (row < 0 || seenIn[row] !== walk) continue;
    cycles += 1;
    up[earliestOnCycle(table, up, row)] = -1;
  }
  return cycles;
}

function earliestOnCycle(table: UuidTable, up: Int32Array, start: number): number {
  let earliest = start;
  for (let row = up[start] as number; row !== start; row = up[row] as number) {
    if ((table.line[row] as number) < (table.line[earliest] as number)) earliest = row;
  }
  return earliest;
}

function rowsByLine(table: UuidTable): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < table.size; row += 1) if ((table.line[row] as number) >= 0) rows.push(row);
  return Int32Array.from(rows).sort((a, b) => (table.line[a] as number) - (table.line[b] as number));
}

/** For every row the nearest row at or above it that `isWanted`, -1 for none. One pass, whatever the depth. */
export function nearestAbove(forest: Forest, isWanted: (row: number) => boolean): Int32Array {
  const { up } = forest;
  const nearest = new Int32Array(up.length);
  for (let row = 0; row < up.length; row += 1) nearest[row] = isWanted(row) ? row : UNKNOWN;
  const path = new Int32Array(up.length);
  for (let start = 0; start < up.length; start += 1) {
    let passed = 0;
    let row = start;
    while (row >= 0 && nearest[row] === UNKNOWN) {
      path[passed] = row;
      passed += 1;
      row = up[row] as number;
    }
    const answer = row < 0 ? -1 : (nearest[row] as number);
    while (passed > 0) nearest[path[(passed -= 1)] as number] = answer;
  }
  return nearest;
}

const UNKNOWN = -2;

/** Lines that only stand between the lines of a conversation. */
export function isBetween(kind: number): boolean {
  return (
    kind === NODE_KINDS.progress ||
    kind === NODE_KINDS.attachment ||
    kind === NODE_KINDS.system ||
    kind === NODE_KINDS.other ||
    kind === NODE_KINDS.repeat ||
    kind === NODE_KINDS.absent
  );
}

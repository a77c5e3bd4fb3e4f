import type { Engine } from '../../src/store/engine.ts';
import { dumpStore } from './dump-store.ts';

/** Normalises booleans and JSON, which the engines represent differently. */
export async function dumpRows(engine: Engine, tables: readonly string[]): Promise<readonly string[]> {
  const lines = (await dumpStore(engine, tables)).split('\n');
  return lines
    .map((line) => (line.startsWith('{') ? JSON.stringify(sameEverywhere(JSON.parse(line))) : line))
    .toSorted();
}

function sameEverywhere(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') return /^[[{]/.test(value) ? sameEverywhere(jsonOr(value)) : value;
  if (Array.isArray(value)) return value.map(sameEverywhere);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [key, sameEverywhere(one)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Text that only starts like JSON is kept, wrapped in an object so that it is not parsed again. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text: text.slice(1) };
  }
}

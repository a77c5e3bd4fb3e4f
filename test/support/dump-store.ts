import { sql } from 'kysely';
import type { Engine } from '../../src/store/engine.ts';
import { STRUCTURE_TABLES } from '../../src/store/queries/transcript/structure-rows.ts';

/** Columns with times and counters rather than content: they differ between two ways of filling a store. */
const VOLATILE = new Set([
  'created_at',
  'updated_at',
  'first_seen_at',
  'last_seen_at',
  'last_active_at',
  'revision',
  'indexed_revision',
  'rows_version',
  'row_changes',
  'correlated_version',
  'indexed_version',
  'claim_token',
  'claim_work',
  'deaths',
  'captured_version',
  'parsed_version',
  'stored_bytes',
  'facts_version',
]);

const DERIVED = [
  'sessions',
  'transcript_messages',
  'content_blocks',
  'usage_rollups',
  'session_tags',
  'session_notes',
  'session_pins',
  'source_files',
  'generations',
  'segments',
  'blobs',
  ...STRUCTURE_TABLES.map(([table]) => table),
];

/** The same, including the documents of the full-text index. */
export const WITH_TEXTS = [...DERIVED, 'search_documents'];

/** All data derived from the archive, as text in a fixed order; two stores are equal if their dumps are. */
export async function dumpStore(engine: Engine, tables: readonly string[] = DERIVED): Promise<string> {
  const parts: string[] = [];
  for (const table of tables) {
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(table)}`.execute(engine.kysely);
    parts.push(`== ${table}`, ...rows.map((row) => toLine(table, row)).toSorted());
  }
  return parts.join('\n');
}

function toLine(table: string, row: Record<string, unknown>): string {
  const isVolatile = (name: string) => VOLATILE.has(name) || (table === 'search_documents' && name === 'id');
  const entries = Object.entries(row).filter(([name]) => !isVolatile(name));
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

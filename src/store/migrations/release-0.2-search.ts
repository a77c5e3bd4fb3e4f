import type { Migration } from '../migrate.ts';

/**
 * SQLite keeps the full text in a separate file. It is rebuilt from the rows after everything else; see `searchSchema` of
 * the engine.
 */
export const searchFile: Migration = { version: 36, name: 'search-file', statements: () => [] };

/**
 * The parts of a name are separated from those of the next one, so that the index is certain about phrases. Every session is
 * reindexed; on SQLite, the format of the index file triggers this.
 */
export const namesApart: Migration = { version: 42, name: 'names-apart', statements: () => [] };

/** New texts are compressed faster on PostgreSQL; see `searchSchema`. */
export const fasterCompression: Migration = { version: 43, name: 'faster-compression', statements: () => [] };

import type { Migration } from '../migrate.ts';

/**
 * Which journals this database has taken over. A new database beside an archive that is not new has lost something; one
 * that already holds files has written its journal itself.
 */
export const repair: Migration = {
  version: 15,
  name: 'repair',
  statements: ({ time }) => [
    `CREATE TABLE known_journals (
      name     TEXT PRIMARY KEY,
      known_at ${time} NOT NULL
    )`,
    `INSERT INTO known_journals (name, known_at)
     SELECT '*', min(first_seen_at) FROM source_files HAVING count(*) > 0`,
  ],
};

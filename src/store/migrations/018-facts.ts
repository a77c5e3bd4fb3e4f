import type { Migration } from '../migrate.ts';

/** Facts that transcripts state and that were only in the raw bytes. Rows come with the next parse. */
export const facts: Migration = {
  version: 18,
  name: 'facts',
  statements: ({ int }) => {
    const table = (name: string, columns: string) => `CREATE TABLE ${name} (
      session_id TEXT NOT NULL REFERENCES sessions(id),
      revision ${int} NOT NULL,
      position ${int} NOT NULL,
      ${columns.trim()},
      PRIMARY KEY (session_id, revision, position)
    )`;
    return [
      table(
        'format_versions',
        `cc_version TEXT NOT NULL,
      records ${int} NOT NULL,
      known ${int} NOT NULL`,
      ),
    ];
  },
};

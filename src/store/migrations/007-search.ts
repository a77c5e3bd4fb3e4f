import type { Migration } from '../migrate.ts';

/**
 * The full-text index anew: words as our tokenizer gives them, places in the order of time, titles and notes too.
 * Every session is indexed again, behind everything else.
 */
export const search: Migration = {
  version: 7,
  name: 'search',
  statements: ({ id, int }) => [
    'DROP TABLE search_index',
    'DROP TABLE search_documents',
    `CREATE TABLE search_documents (
      id          ${id},
      session_id  TEXT NOT NULL REFERENCES sessions(id),
      message_id  TEXT NOT NULL,
      block_order ${int} NOT NULL,
      part        ${int} NOT NULL,
      kind        TEXT NOT NULL,
      chars       ${int} NOT NULL,
      call_id     TEXT
    )`,
    'CREATE INDEX search_documents_by_session ON search_documents (session_id, message_id, block_order)',
    'CREATE INDEX tool_calls_by_id ON tool_calls (session_id, revision, id)',
    'UPDATE sessions SET indexed_revision = 0, indexed_version = 0',
  ],
};

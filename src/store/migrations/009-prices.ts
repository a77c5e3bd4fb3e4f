import type { Migration } from '../migrate.ts';

/** Which price book priced a session, and which one each device wants. */
export const prices: Migration = {
  version: 9,
  name: 'prices',
  statements: ({ int }) => [
    `ALTER TABLE sessions ADD COLUMN price_book TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE sessions ADD COLUMN price_rates TEXT NOT NULL DEFAULT ''`,
    `CREATE TABLE price_books (
      device_id TEXT PRIMARY KEY,
      book      TEXT NOT NULL,
      book_date TEXT NOT NULL,
      seq       ${int} NOT NULL
    )`,
  ],
};

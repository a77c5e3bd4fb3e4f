import { WORK_KINDS } from '../../domain/summary.ts';
import type { Migration } from '../migrate.ts';

const kinds = Object.keys(WORK_KINDS)
  .map((kind) => `'${kind}'`)
  .join(', ');

/** The kind of work of a session. Written with its narrative, which an upgrade writes anew. */
export const narrative: Migration = {
  version: 18,
  name: 'narrative',
  statements: () => [
    `ALTER TABLE sessions ADD COLUMN work_kind TEXT CHECK (work_kind IN (${kinds}))`,
    'CREATE INDEX sessions_by_work_kind ON sessions (work_kind) WHERE work_kind IS NOT NULL',
  ],
};

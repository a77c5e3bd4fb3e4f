import type { Migration } from '../migrate.ts';

/** How long a tool call waited for a person or for other calls, apart from how long it ran. */
export const waiting: Migration = {
  version: 22,
  name: 'waiting',
  statements: () => ['ALTER TABLE tool_calls ADD COLUMN waiting_ms BIGINT'],
};

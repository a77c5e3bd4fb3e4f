import type { Migration } from '../migrate.ts';

/** The step that makes new rows current was called `price`, although prices are computed during the parse. */
export const publishStep: Migration = {
  version: 25,
  name: 'publish-step',
  statements: () => ["UPDATE session_steps SET step = 'publish' WHERE step = 'price'"],
};

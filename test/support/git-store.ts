import { sql } from 'kysely';
import { git } from '../../src/store/migrations/002-git.ts';
import type { Store } from '../../src/store/store.ts';
import { STORES } from './stores.ts';

/** Every store with the tables of git, whether the list of migrations has them already or not. */
export const GIT_STORES = STORES.map(({ name, open }) => ({
  name,
  open: async (): Promise<Store> => {
    const store = await open();
    if (await store.engine.hasTable('git_calls')) return store;
    for (const statement of git.statements(store.engine.columnTypes))
      await sql.raw(statement).execute(store.engine.kysely);
    return store;
  },
}));

export const DEVICE = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };

import { createHash } from 'node:crypto';
import type { BrowserKey } from '../../../src/api/browser-keys.ts';
import type { BrowserKeys } from '../../../src/app/access-keys.ts';
import type { Commands } from '../../../src/app/commands.ts';
import type { Queries } from '../../../src/app/queries.ts';

export interface MemoryKeys {
  readonly lookup: BrowserKeys;
  readonly queries: Pick<Queries, 'GET /browser-keys'>;
  readonly commands: Pick<Commands, 'POST /browser-keys' | 'DELETE /browser-keys/:key_id'>;
}

const NOW = '2026-11-15T12:00:00.000Z';

/** Browser keys in a map; test/contract/browser-keys.test.ts tests those of the store. */
export function createMemoryKeys(): MemoryKeys {
  let issued = 0;
  const keys = new Map<string, BrowserKey & { readonly sha256: string }>();
  return {
    lookup: { find: async (id) => keys.get(id)?.sha256 ?? null, markUsed: async () => {} },
    queries: {
      'GET /browser-keys': async () => ({ keys: [...keys.values()].map(({ sha256: _, ...key }) => key) }),
    },
    commands: {
      'POST /browser-keys': async ({ body: { name } }) => {
        const id = String(issued++).padStart(16, '0');
        const key = `brw_${id}_${'ef'.repeat(32)}`;
        const sha256 = createHash('sha256').update(key).digest('hex');
        keys.set(id, { id, name, created_at: NOW, last_used_at: NOW, sha256 });
        return { id, name, key };
      },
      'DELETE /browser-keys/:key_id': async ({ params }) => {
        keys.delete(params.key_id);
        return { ok: true };
      },
    },
  };
}

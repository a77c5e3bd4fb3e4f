import { describe, expect, it } from 'vitest';
import { createBrowserKeys, issueBrowserKey } from '../../src/app/access-keys.ts';
import { browserKeyId } from '../../src/domain/device.ts';
import { sha256Hex } from '../../src/lib/sha256.ts';
import { findBrowserKey, listBrowserKeys, removeBrowserKey } from '../../src/store/queries/devices/browser-keys.ts';
import { STORES } from '../support/stores.ts';

const NOW = '2026-11-15T12:00:00.000Z';
const LATER = '2026-11-16T12:00:00.000Z';

describe.each(STORES)('browser keys on $name', ({ open }) => {
  it('are stored as a hash, found by id, and invalid once revoked', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    const { id, key } = await issueBrowserKey(kysely, 'Firefox on Linux', new Date(NOW));
    expect(browserKeyId(key)).toBe(id);
    expect(await findBrowserKey(kysely, id)).toBe(sha256Hex(key));
    expect(await listBrowserKeys(kysely)).toEqual([
      { id, name: 'Firefox on Linux', created_at: NOW, last_used_at: NOW },
    ]);
    expect(JSON.stringify(await kysely.selectFrom('browser_keys').selectAll().execute())).not.toContain(key);
    await removeBrowserKey(kysely, id);
    expect(await findBrowserKey(kysely, id)).toBeNull();
    await expect(removeBrowserKey(kysely, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are different each time, and listed by last use', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    const first = await issueBrowserKey(kysely, 'Chrome on Linux', new Date(NOW));
    const second = await issueBrowserKey(kysely, 'Chrome on Linux', new Date(NOW));
    expect(first.key).not.toBe(second.key);
    const keys = createBrowserKeys(store.engine, { now: () => new Date(LATER), monotonicMs: () => 0 });
    await keys.markUsed(first.id);
    const rows = await listBrowserKeys(kysely);
    expect(rows.map(({ id, last_used_at }) => [id, last_used_at])).toEqual([
      [first.id, LATER],
      [second.id, NOW],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { identityOf } from '../../src/lib/process-identity.ts';
import {
  acquireLease,
  importLease,
  releaseLease,
  releaseLeasesOf,
  renewLease,
  uploadLease,
  withLease,
  withoutCaptures,
} from '../../src/store/queries/claims/leases.ts';
import { STORES } from '../support/stores.ts';

const LONG_MS = 60_000;

describe.each(STORES)('leases on $name', ({ open }) => {
  it('have one holder at a time', async () => {
    await using store = await open();
    const { engine } = store;
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, n) => acquireLease(engine, 'work', `holder-${n}`, LONG_MS)),
    );
    expect(tries.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('F2: can be taken over when they expire, and the old holder is informed', async () => {
    await using store = await open();
    const { engine } = store;
    const old = await acquireLease(engine, 'work', 'a', -1);
    const next = await acquireLease(engine, 'work', 'b', LONG_MS);
    expect(next?.token).toBe((old?.token ?? 0) + 1);
    expect(old && (await renewLease(engine, old, LONG_MS))).toBe(false);
    if (old) await releaseLease(engine, old);
    expect(await acquireLease(engine, 'work', 'c', LONG_MS)).toBeNull();
  });

  it('are released after the work, even when it fails', async () => {
    await using store = await open();
    const { engine } = store;
    const key = 'import';
    await expect(withLease(engine, key, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await withLease(engine, key, async () => {
      await expect(withLease(engine, key, async () => {})).rejects.toMatchObject({ code: 'busy' });
    });
    expect(await withLease(engine, key, async () => 'done')).toBe('done');
  });

  it('B5: of a killed process on this machine are taken over at once, those of a live one never', async () => {
    await using store = await open();
    const { engine } = store;
    const dead = { ...identityOf(process.pid), started: '1' };
    await acquireLease(engine, 'import', JSON.stringify(dead), LONG_MS);
    expect(await withLease(engine, 'import', async () => 'taken')).toBe('taken');
    await acquireLease(engine, 'import', JSON.stringify(identityOf(process.pid)), LONG_MS);
    await expect(withLease(engine, 'import', async () => {})).rejects.toMatchObject({ code: 'busy' });
    await acquireLease(engine, 'elsewhere', JSON.stringify({ ...dead, boot: 'another machine' }), LONG_MS);
    await expect(withLease(engine, 'elsewhere', async () => {})).rejects.toMatchObject({ code: 'busy' });
  });

  it('of a purge and of captures, of any device, exclude each other', async () => {
    await using store = await open();
    const { engine } = store;
    const purge = () => withoutCaptures(engine, 'ours', async () => 'purged');
    for (const name of [importLease('theirs'), uploadLease('abc')]) {
      const capture = await acquireLease(engine, name, 'another process', LONG_MS);
      await expect(purge(), name).rejects.toMatchObject({ code: 'busy' });
      if (capture) await releaseLease(engine, capture);
    }
    const other = await acquireLease(engine, 'purge', 'another process', LONG_MS);
    for (const name of [importLease('ours'), uploadLease('abc')])
      await expect(
        withLease(engine, name, async () => {}),
        name,
      ).rejects.toMatchObject({ code: 'busy' });
    if (other) await releaseLease(engine, other);
    expect(await purge(), 'nobody kept a lease').toBe('purged');
  });

  it('F16: of a terminated thread of this process are released, those of others stay', async () => {
    await using store = await open();
    const { engine } = store;
    const itself = identityOf(process.pid);
    await acquireLease(engine, 'thread', JSON.stringify({ ...itself, opened: 'in a thread' }), LONG_MS);
    await acquireLease(engine, 'elsewhere', JSON.stringify({ ...itself, boot: 'another machine' }), LONG_MS);
    await withLease(engine, 'ours', async () => {
      await releaseLeasesOf(engine, itself);
      const held = engine.kysely.selectFrom('leases').select('name').where('expires_at_ms', '>', 0).orderBy('name');
      expect(await held.execute()).toEqual([{ name: 'elsewhere' }, { name: 'ours' }]);
    });
  });
});

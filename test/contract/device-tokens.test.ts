import { describe, expect, it } from 'vitest';
import { createDeviceTokens } from '../../src/app/access-keys.ts';
import {
  addDeviceToken,
  bindDeviceToken,
  findDeviceToken,
  lastDeviceOf,
  listDeviceTokens,
  revokeDeviceToken,
} from '../../src/store/queries/devices/device-tokens.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { STORES } from '../support/stores.ts';

const NOW = '2026-11-15T12:00:00.000Z';
const LATER = '2026-11-16T12:00:00.000Z';
const token = (id: string, name: string, isWriteOnly = false) => ({ id, name, sha256: id.repeat(64), isWriteOnly });

describe.each(STORES)('tokens of devices on $name', ({ open }) => {
  it('are found by id and valid until revoked; the name can then be reused', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await addDeviceToken(kysely, token('a', 'laptop'), NOW);
    await addDeviceToken(kysely, token('b', 'builder', true), NOW);
    expect(await findDeviceToken(kysely, 'b')).toEqual({
      id: 'b',
      name: 'builder',
      sha256: 'b'.repeat(64),
      isWriteOnly: true,
      isRevoked: false,
    });
    expect(await findDeviceToken(kysely, 'c')).toBeNull();
    await expect(addDeviceToken(kysely, token('c', 'laptop'), NOW)).rejects.toMatchObject({ code: 'usage' });
    await revokeDeviceToken(kysely, 'laptop', LATER);
    await expect(revokeDeviceToken(kysely, 'laptop', LATER)).rejects.toMatchObject({ code: 'not_found' });
    await addDeviceToken(kysely, token('d', 'laptop'), LATER);
    expect(await findDeviceToken(kysely, 'a')).toMatchObject({ isRevoked: true });
    expect(await findDeviceToken(kysely, 'd')).toMatchObject({ isRevoked: false });
    const rows = (await listDeviceTokens(kysely)).map(({ name, may, revoked_at }) => [name, may, revoked_at]);
    expect(rows).toEqual([
      ['laptop', 'read and write', null],
      ['builder', 'write', null],
      ['laptop', 'read and write', LATER],
    ]);
  });

  it('are bound to the first new device that uses them, never to a known one', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await addDeviceToken(kysely, token('a', 'laptop'), NOW);
    await addDeviceToken(kysely, token('b', 'stranger', true), NOW);
    expect(await bindDeviceToken(kysely, 'a', 'device-1')).toBe('device-1');
    expect(await bindDeviceToken(kysely, 'a', 'device-2')).toBe('device-1');
    expect(await bindDeviceToken(kysely, 'b', 'device-1')).toBeNull();
    const known = { id: 'device-3', name: 'known', hostname: '', os: '', arch: '' };
    await saveDevice(kysely, known, NOW, 'remote');
    expect(await bindDeviceToken(kysely, 'b', 'device-3')).toBeNull();
    expect(await bindDeviceToken(kysely, 'b', 'device-4')).toBe('device-4');
    await addDeviceToken(kysely, { ...token('c', 'known'), deviceId: 'device-3' }, NOW);
    expect(await bindDeviceToken(kysely, 'c', 'device-3')).toBe('device-3');
    await revokeDeviceToken(kysely, 'laptop', LATER);
    expect(await lastDeviceOf(kysely, 'laptop')).toBe('device-1');
  });

  it('requested concurrently with the same name are given out once', async () => {
    await using store = await open();
    const asked = ['a', 'b', 'c', 'd'].map((id) => addDeviceToken(store.engine.kysely, token(id, 'laptop'), NOW));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listDeviceTokens(store.engine.kysely)).toHaveLength(1);
  });

  it('record their last use at most once a minute', async () => {
    await using store = await open();
    await addDeviceToken(store.engine.kysely, token('a', 'laptop'), NOW);
    let now = NOW;
    const tokens = createDeviceTokens(store.engine, { now: () => new Date(now), monotonicMs: () => 0 });
    const usedAt = async () => (await listDeviceTokens(store.engine.kysely))[0]?.last_used_at;
    expect(await usedAt()).toBeNull();
    await tokens.markUsed('a');
    now = '2026-11-15T12:00:59.000Z';
    await tokens.markUsed('a');
    expect(await usedAt()).toBe(NOW);
    now = '2026-11-15T12:01:00.000Z';
    await tokens.markUsed('a');
    expect(await usedAt()).toBe(now);
  });
});

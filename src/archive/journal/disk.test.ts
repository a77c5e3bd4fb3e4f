import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { syncFolder } from '../../lib/private-file.ts';
import { openDiskJournal } from './disk.ts';
import { journalLine } from './lines.ts';

vi.mock(import('../../lib/private-file.ts'), { spy: true });

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'journal.jsonl');
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const RECORDS = ['first', 'second', 'third'].map((name) => ({ name }));
const INVALID_UTF8 = Buffer.from([0x22, 0xff, 0xfe, 0xff, 0x22, 0x0a]);

const namesIn = async () => (await Array.fromAsync(openDiskJournal({ path }).read())).map(({ name }) => name);

describe('the journal on disk', () => {
  it('erases the right lines behind a damaged one that is not valid UTF-8', async () => {
    const journal = openDiskJournal({ path });
    writeFileSync(path, INVALID_UTF8);
    await journal.append(...RECORDS);
    const erased = await journal.erase(({ record }) => (record?.['name'] === 'second' ? 'erase' : 'keep'));
    expect(erased).toBe(1);
    expect(await namesIn()).toEqual(['first', 'third']);
    expect(readFileSync(path).subarray(0, INVALID_UTF8.length)).toEqual(INVALID_UTF8);
    expect(readFileSync(path, 'utf8')).not.toContain('second');
  });

  it('keeps what another process appends while it is repaired', async () => {
    writeFileSync(path, INVALID_UTF8);
    const journal = openDiskJournal({ path });
    await journal.append(...RECORDS);
    // The name of the new file is chosen after the old one was read.
    const uuid = crypto.randomUUID();
    const chosen = vi.spyOn(crypto, 'randomUUID').mockImplementation(() => {
      appendFileSync(path, journalLine({ name: 'of another process' }));
      return uuid;
    });
    await journal.repair([{ name: 'missing' }]);
    expect(chosen).toHaveBeenCalledOnce();
    expect(await namesIn()).toEqual(['first', 'second', 'third', 'of another process', 'missing']);
  });

  it('shortens a line only when the shorter one is durable', async () => {
    const journal = openDiskJournal({ path });
    await journal.append(...RECORDS);
    const handle = await open(path);
    const calls: string[] = [];
    const methods = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    for (const name of ['sync', 'write'] as const) {
      const act = methods[name] as (...values: readonly unknown[]) => Promise<never>;
      vi.spyOn(methods, name).mockImplementation(function (this: unknown, ...values: unknown[]) {
        calls.push(name);
        return act.apply(this, values);
      });
    }
    await journal.erase(({ record }) => (record?.['name'] === 'second' ? { name: '2nd' } : 'keep'));
    expect(calls).toEqual(['sync', 'write', 'sync']);
    expect(await namesIn()).toEqual(['first', 'third', '2nd']);
  });

  it('makes a new file durable with its entry in the folder, once', async () => {
    const synced = vi.mocked(syncFolder).mockClear();
    const journal = openDiskJournal({ path });
    for (const record of RECORDS) {
      await journal.append(record);
      await journal.flush();
    }
    expect(synced.mock.calls).toEqual([[folder]]);
  });

  it('drops half a line that a crash has left, once', async () => {
    const journal = openDiskJournal({ path });
    await journal.append(...RECORDS);
    appendFileSync(path, '{"name":"half');
    await journal.repair([{ name: 'missing' }]);
    const damaged: string[] = [];
    await Array.fromAsync(journal.read((place) => damaged.push(place)));
    expect(await namesIn()).toEqual(['first', 'second', 'third', 'missing']);
    expect(damaged).toEqual([]);
  });
});

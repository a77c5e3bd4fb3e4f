import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** What the work waits for to reach the disk, in order; the calls have their usual effect. */
export async function recordWrites(work: () => unknown): Promise<readonly string[]> {
  const order: string[] = [];
  const sync = (isFolder: boolean) => order.push(isFolder ? 'sync folder' : 'sync file');
  const { fsyncSync, renameSync } = fs;
  const { rename } = promises;
  await using handle = await promises.open('/dev/null');
  const handles = Object.getPrototypeOf(handle) as promises.FileHandle;
  const syncHandle = handles.sync;
  const spies = [
    vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
      sync(fs.fstatSync(fd).isDirectory());
      fsyncSync(fd);
    }),
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      order.push('rename');
      renameSync(from, to);
    }),
    vi.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
      order.push('rename');
      await rename(from, to);
    }),
    vi.spyOn(handles, 'sync').mockImplementation(async function (this: promises.FileHandle) {
      sync((await this.stat()).isDirectory());
      await syncHandle.call(this);
    }),
  ];
  // Makes named imports use the spies.
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
  return order;
}

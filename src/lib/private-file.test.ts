import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordWrites } from '../../test/support/record-writes.ts';
import { makeFolder, writePrivateFile } from './private-file.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('makeFolder', () => {
  test('creates all missing folders and accepts existing ones', () => {
    const path = join(root, 'a', 'b', 'c');
    makeFolder(path, 0o700);
    makeFolder(path, 0o755);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
  });

  test('fails when a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(join(root, 'file'), 0o700)).toThrow('EEXIST');
    expect(() => makeFolder(join(root, 'file', 'below'), 0o700)).toThrow(/ENOTDIR|EEXIST/);
  });

  test.runIf(process.platform === 'linux')('fails instead of looping where no folder can be created', () => {
    expect(() => makeFolder('/proc/fuel-code/below', 0o700)).toThrow('ENOENT');
  });
});

test('a private file is on the disk before it has its name', async () => {
  const path = join(root, 'file');
  expect(await recordWrites(() => writePrivateFile(path, 'text'))).toEqual(['sync file', 'rename']);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['text', 0o600]);
});

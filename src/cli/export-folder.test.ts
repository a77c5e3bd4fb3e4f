import process from 'node:process';
import { expect, test } from 'vitest';
import { openExportFolder } from './export-folder.ts';

test.runIf(process.platform === 'linux')('fails instead of looping where no folder can be created', async () => {
  await expect(openExportFolder('/proc/fuel-code', 'md', { isForced: false })).rejects.toThrow('ENOENT');
});

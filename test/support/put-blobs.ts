/**
 * A process that stores blobs on disk, for tests that need several processes: `node put-blobs.ts <root> same <text>
 * <times>` or `node put-blobs.ts <root> endless`. Prints the address of each stored blob, or the code and message of
 * the error, one per line.
 */
import { randomBytes } from 'node:crypto';
import { argv, stdout } from 'node:process';
import { openDiskBlobs } from '../../src/archive/blobs/disk.ts';
import { toFuelError } from '../../src/domain/errors.ts';

const [, , root = '', mode = '', text = '', times = '1'] = argv;
const count = mode === 'endless' ? Infinity : Number(times);
const blobs = openDiskBlobs({ root });

try {
  for (let n = 0; n < count; n += 1) {
    const stat = await blobs.put(mode === 'endless' ? randomBytes(300_000) : Buffer.from(text));
    stdout.write(`${stat.sha256}\n`);
  }
} catch (error) {
  const { code, message } = toFuelError(error);
  stdout.write(`${code}: ${message}\n`);
}

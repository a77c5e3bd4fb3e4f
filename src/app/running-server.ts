import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { identityOf, isAlive, parseIdentity } from '../lib/process-identity.ts';

/** Records where the page of a data folder is served, so that a second start can say so. */
export function recordServer(home: string, address: string): Disposable {
  const path = join(home, 'server.json');
  const mine = `${JSON.stringify({ ...identityOf(process.pid), address })}\n`;
  writePrivateFile(path, mine);
  return {
    [Symbol.dispose]: () => {
      if (readTextFile(path) === mine) rmSync(path, { force: true });
    },
  };
}

/** The address of a server that is running for this data folder, or null. A record left by a crash counts for nothing. */
export function findRunningServer(home: string): string | null {
  const text = readTextFile(join(home, 'server.json'));
  const identity = text === null ? null : parseIdentity(text);
  if (text === null || identity === null || !isAlive(identity)) return null;
  const { address } = JSON.parse(text) as { readonly address?: unknown };
  return typeof address === 'string' ? address : null;
}

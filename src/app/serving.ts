import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { ImportProgress } from '../api/server.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import { createIntake, type Intake } from '../ingest/intake.ts';
import type { Log } from '../lib/log.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { identityOf, isAlive, parseIdentity } from '../lib/process-identity.ts';
import { ingestMasks } from './masking.ts';
import type { App } from './open-app.ts';

/** The contract between the command that starts a server and the server itself. */
export interface ServeOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly onLog: (line: string) => void;
  readonly isDemo?: boolean;
  /** Interval of the scan for changes that no file watch reported. */
  readonly rescanMs?: number;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface Serving extends AsyncDisposable {
  /** Contains the token in its fragment, which browsers do not send. */
  readonly address: string;
  /** The data folder cannot be written: stored sessions are served, and nothing is imported. */
  readonly isReadOnly: boolean;
  readonly firstRound: Promise<void>;
  /** Rejects when the data folder was moved, replaced or deleted: nothing may be written after that. */
  readonly moved: Promise<never>;
}

/** Records the address of the server of a data folder, so that a second `fuel-code start` can print it. */
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

/** The address of the running server of this data folder, or null. Records left behind by a crash are ignored. */
export function findRunningServer(home: string): string | null {
  const text = readTextFile(join(home, 'server.json'));
  const identity = text === null ? null : parseIdentity(text);
  if (text === null || identity === null || !isAlive(identity)) return null;
  const { address } = JSON.parse(text) as { readonly address?: unknown };
  return typeof address === 'string' ? address : null;
}

export type { Intake } from '../ingest/intake.ts';

/** Accepts uploads from other devices. Calls `onWork` whenever there is something to process. */
export function openIntake({ store, blobs, journal, device, masking }: App, clock: Clock, onWork: () => void): Intake {
  const { engine } = store;
  const masks = ingestMasks({ engine, masking });
  return createIntake({ engine, blobs, journal, device, clock, masks }, onWork);
}

/** Writes the demo home and returns a configuration for it. Its data folder is separate from the user's own. */
export async function prepareDemo(config: Config, clock: Clock): Promise<Config> {
  const home = join(config.home, 'demo');
  const claudeHome = join(home, 'claude');
  const { writeDemoHome } = await import('../demo/write-demo-home.ts');
  await writeDemoHome(claudeHome, clock.now());
  return { ...config, home, claudeHome, databaseUrl: null, s3Bucket: null, serverUrl: null };
}

import type { Config } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import type { ImportProgress } from '../api/server.ts';
import type { Log } from '../lib/log.ts';

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
  /** With the token in its fragment, which browsers keep to themselves. */
  readonly address: string;
  readonly firstRound: Promise<void>;
  /** Rejects when the data folder was moved, replaced or deleted: nothing may be written any more. */
  readonly moved: Promise<never>;
}

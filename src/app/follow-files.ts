import { join } from 'node:path';
import { projectFolders } from '../capture/homes.ts';
import type { Config } from '../config.ts';
import { type Follower, follow } from '../lib/follow.ts';

/** Waits for changes of transcripts and for events in the spool. */
export function followFiles(config: Config, signal: AbortSignal): Follower {
  return follow(() => [...projectFolders(config), join(config.home, 'spool')], signal);
}

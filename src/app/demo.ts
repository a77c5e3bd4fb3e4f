import { join } from 'node:path';
import type { Config } from '../config.ts';
import { writeDemoHome } from '../demo/write-demo-home.ts';
import type { Clock } from '../domain/ports.ts';

/** Writes the demo home and returns a configuration for it. Its data folder is separate from the user's own. */
export async function prepareDemo(config: Config, clock: Clock): Promise<Config> {
  const home = join(config.home, 'demo');
  const claudeHome = join(home, 'claude');
  await writeDemoHome(claudeHome, clock.now());
  return { ...config, home, claudeHome, databaseUrl: null, s3Bucket: null, serverUrl: null };
}

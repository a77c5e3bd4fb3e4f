import { homedir } from 'node:os';
import type { Config } from '../config.ts';
import { createRedactor, type Redactor } from '../redact/redact.ts';

/** The one door for what leaves the machine, as the configuration wants it. */
export function openRedactor(config: Config): Redactor {
  return createRedactor({ homes: [homedir()], patterns: config.redact });
}

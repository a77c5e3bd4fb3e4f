import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../lib/private-file.ts';
import { isRunning } from '../lib/process-identity.ts';

/** Sessions that a running client has open now, by its own registry (`sessions/<pid>.json`). */
export function findLiveSessions(claudeHomes: readonly string[]): ReadonlySet<string> {
  return new Set(claudeHomes.flatMap((home) => liveIn(join(home, 'sessions'))));
}

function liveIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const pid = /^(\d+)\.json$/.exec(name)?.[1];
    const sessionId = pid === undefined || !isRunning(Number(pid)) ? null : readSessionId(join(folder, name));
    return sessionId ?? [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readSessionId(path: string): string | null {
  try {
    const { sessionId } = JSON.parse(readTextFile(path) ?? '{}') as { sessionId?: unknown };
    return typeof sessionId === 'string' ? sessionId : null;
  } catch {
    return null;
  }
}

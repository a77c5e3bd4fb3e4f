import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { childEnv } from '../support/processes.ts';
import { size } from '../support/sizes.ts';

const SOAK = fileURLToPath(new URL('../support/soak-worker.ts', import.meta.url));
/** Maximum memory growth per thousand sessions. Reachable bytes are exact after a collection; resident ones are not. */
const MAX_HEAP_BYTES = 500_000;
const MAX_RESIDENT_BYTES = 5_000_000;

interface Held {
  readonly heap: number;
  readonly rss: number;
}

interface Soak {
  readonly rounds: number;
  readonly sessions: number;
  readonly leak?: true;
}

async function soak({ rounds, sessions, leak }: Soak): Promise<readonly Held[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-soak-'));
  const env = {
    ...childEnv(),
    FUEL_CODE_HOME: join(folder, 'data'),
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    ROUNDS: String(rounds),
    SESSIONS: String(sessions),
    LEAK: leak ? '1' : '0',
  };
  mkdirSync(env.CLAUDE_CONFIG_DIR);
  try {
    const words = ['--expose-gc', '--max-semi-space-size=4', '--max-old-space-size=512', SOAK];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env });
    return JSON.parse(stdout) as Held[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Growth in bytes per thousand sessions: the median of the last quarter of the rounds compared with that of the second. */
function slope(held: readonly Held[], what: keyof Held, sessions: number): number {
  const quarter = held.length / 4;
  const medianOf = (nth: number) => median(held.slice(nth * quarter, (nth + 1) * quarter).map((round) => round[what]));
  return ((medianOf(3) - medianOf(1)) / (2 * quarter * sessions)) * 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

describe('L12: a worker that runs for thousands of sessions', () => {
  const SESSIONS = size('SOAK_SESSIONS', 60);
  /** Over thousands of sessions the worker's caches are full; over a few they are still filling up. */
  const isLong = SESSIONS >= 250;
  const rounds = isLong ? 20 : 8;
  const maxHeapBytes = isLong ? MAX_HEAP_BYTES : MAX_RESIDENT_BYTES;

  it(`uses no more memory after ${rounds * SESSIONS} sessions than at the beginning`, async () => {
    const held = await soak({ rounds, sessions: SESSIONS });
    expect(slope(held, 'heap', SESSIONS)).toBeLessThan(maxHeapBytes);
    if (isLong) expect(slope(held, 'rss', SESSIONS)).toBeLessThan(MAX_RESIDENT_BYTES);
  });

  it('the measurement detects lines kept from each session', async () => {
    const held = await soak({ rounds: 8, sessions: 20, leak: true });
    expect(slope(held, 'heap', 20)).toBeGreaterThan(maxHeapBytes);
  });
});

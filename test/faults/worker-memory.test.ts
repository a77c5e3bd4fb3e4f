import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SOAK = fileURLToPath(new URL('../support/soak-worker.ts', import.meta.url));
const TIMEOUT_MS = 480_000;
/** What a thousand sessions may leave behind. Reachable bytes are exact after a collection; resident ones are not. */
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
    PATH: process.env.PATH,
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

/** Bytes that a thousand sessions leave: the second quarter of the rounds against the last one, each by its median. */
function slope(held: readonly Held[], what: keyof Held, sessions: number): number {
  const quarter = held.length / 4;
  const medianOf = (nth: number) => median(held.slice(nth * quarter, (nth + 1) * quarter).map((round) => round[what]));
  return ((medianOf(3) - medianOf(1)) / (2 * quarter * sessions)) * 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

describe('L12: a worker that stays for thousands of sessions', () => {
  it(
    'holds no more after 5,000 than at the beginning',
    async () => {
      const held = await soak({ rounds: 20, sessions: 250 });
      expect(slope(held, 'heap', 250)).toBeLessThan(MAX_HEAP_BYTES);
      expect(slope(held, 'rss', 250)).toBeLessThan(MAX_RESIDENT_BYTES);
    },
    TIMEOUT_MS,
  );

  it(
    'and the measure bites: two lines kept of each session are seen',
    async () => {
      const held = await soak({ rounds: 12, sessions: 120, leak: true });
      expect(slope(held, 'heap', 120)).toBeGreaterThan(MAX_HEAP_BYTES);
    },
    TIMEOUT_MS,
  );
});

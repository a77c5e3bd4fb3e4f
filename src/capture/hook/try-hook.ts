import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { FuelError } from '../../domain/errors.ts';
import { type SpoolEntry, TEST_EVENT_NAME } from '../../domain/event.ts';
import type { Clock } from '../../domain/ports.ts';
import { ulid } from '../../lib/ulid.ts';
import { openSpool, type Spool } from '../spool/spool.ts';
import { findHooks } from './edit-settings.ts';
import { type HookPlace, settingsPath } from './install.ts';
import { readSettings, understandably } from './settings-file.ts';

const ARRIVAL_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 20;
const MAX_OUTPUT_BYTES = 1_000;

export interface HookTrial {
  readonly command: string;
  readonly exit_code: number | null;
  /** What the hook printed; must be empty. */
  readonly output: string;
  readonly arrived: boolean;
  readonly duration_ms: number;
}

/**
 * Runs the command from the settings as Claude Code would, but with an empty environment and a test payload, and waits
 * for the entry in the spool. Leaves nothing behind and starts no worker. Errors: not_found when no hook is installed.
 */
export async function tryHook(place: HookPlace): Promise<HookTrial> {
  const command = installedCommand(place);
  const spool = openSpool(place.home, place.clock);
  const payload = JSON.stringify({ session_id: `test-${ulid(place.clock.now())}`, hook_event_name: TEST_EVENT_NAME });
  const startedMs = place.clock.monotonicMs();
  const ended = await runCommand(command, payload);
  const duration_ms = Math.round(place.clock.monotonicMs() - startedMs);
  const entry = await waitForEntry(spool, payload, place.clock);
  if (entry !== null) spool.done(entry);
  return { command, ...ended, arrived: entry !== null, duration_ms };
}

function installedCommand({ claudeHome }: HookPlace): string {
  const path = settingsPath(claudeHome);
  const text = readSettings(path);
  const [hook] = text === null ? [] : understandably(path, text, () => findHooks(text));
  if (hook !== undefined) return hook.command;
  throw new FuelError('not_found', `${path} has no hook of fuel-code.`, { hint: 'Run `fuel-code hooks install`.' });
}

function runCommand(command: string, payload: string): Promise<{ exit_code: number | null; output: string }> {
  // No worker is started: without an environment it could not find its database.
  const child = spawn('/bin/sh', ['-c', command], { env: { FUEL_CODE_NO_WORKER: '1' }, cwd: '/' });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece));
  // A hook that does not read its input closes the pipe early; whether the payload arrived is checked later.
  child.stdin.on('error', () => {});
  child.stdin.end(payload);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit_code) => {
      resolve({ exit_code, output: Buffer.concat(pieces).toString().slice(0, MAX_OUTPUT_BYTES) });
    });
  });
}

/** Returns the entry with our payload as soon as it appears; null after a timeout. */
async function waitForEntry(spool: Spool, payload: string, clock: Clock): Promise<SpoolEntry | null> {
  const latestMs = clock.monotonicMs() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const entry = spool.entries().find((one) => holds(spool, one, payload));
    if (entry !== undefined) return entry;
    if (clock.monotonicMs() > latestMs) return null;
    await pause(LOOK_EVERY_MS);
  }
}

function holds(spool: Spool, entry: SpoolEntry, payload: string): boolean {
  if (entry.sizeBytes !== payload.length) return false;
  return Buffer.from(spool.read(entry) ?? []).toString() === payload;
}

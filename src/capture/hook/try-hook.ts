import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { FuelError } from '../../domain/errors.ts';
import { type SpoolEntry, TEST_EVENT_NAME } from '../../domain/event.ts';
import type { Clock } from '../../domain/ports.ts';
import { ulid } from '../../lib/ids.ts';
import { parseSettings, readSettings } from '../settings/settings-file.ts';
import { openSpool, type Spool } from '../spool/spool.ts';
import { findHooks } from './edit-hooks.ts';
import { type HookContext, settingsPath } from './install.ts';

const ARRIVAL_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;
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
export async function tryHook(context: HookContext): Promise<HookTrial> {
  const command = installedCommand(context);
  const spool = openSpool(context.home, context.clock);
  const payload = JSON.stringify({ session_id: `test-${ulid(context.clock.now())}`, hook_event_name: TEST_EVENT_NAME });
  const startedMs = context.clock.monotonicMs();
  const ended = await runCommand(command, payload);
  const duration_ms = Math.round(context.clock.monotonicMs() - startedMs);
  const entry = await waitForEntry(spool, payload, context.clock);
  if (entry !== null) spool.done(entry);
  return { command, ...ended, arrived: entry !== null, duration_ms };
}

function installedCommand({ claudeHome }: HookContext): string {
  const path = settingsPath(claudeHome);
  const text = readSettings(path);
  const [hook] = text === null ? [] : parseSettings(path, text, () => findHooks(text));
  if (hook !== undefined) return hook.command;
  throw new FuelError('not_found', `${path} contains no fuel-code hook.`, { hint: 'Run `fuel-code hooks install`.' });
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
    const entry = spool.entries().find((one) => hasPayload(spool, one, payload));
    if (entry !== undefined) return entry;
    if (clock.monotonicMs() > latestMs) return null;
    await pause(POLL_INTERVAL_MS);
  }
}

function hasPayload(spool: Spool, entry: SpoolEntry, payload: string): boolean {
  if (entry.sizeBytes !== payload.length) return false;
  return Buffer.from(spool.read(entry) ?? []).toString() === payload;
}

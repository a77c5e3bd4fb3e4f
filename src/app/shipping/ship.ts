import type { BlobStore, Clock } from '../../domain/ports.ts';
import type { Engine } from '../../store/engine.ts';
import { withLease } from '../../store/lease-holder.ts';
import type { Device } from '../../store/queries/devices/devices.ts';
import { findPending } from '../../store/queries/shipping/shipments.ts';
import { endPause, loadPause, type Pause, savePause } from '../../store/queries/shipping/shipping.ts';
import { MAX_WAIT_MS, nextTryMs } from './backoff.ts';
import { createServerClient, type Reply, type Server, type ServerClient } from './server-client.ts';
import { shipEvents } from './ship-events.ts';
import { shipGeneration } from './ship-generation.ts';
import { shipGit } from './ship-git.ts';
import { sha256Hex } from '../../lib/sha256.ts';

export interface ShipOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly device: Device;
  readonly server: Server;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Sent at a time; the server takes up to 8 MiB. */
  readonly chunkBytes?: number;
}

export interface ShipDeps extends Required<ShipOptions> {
  readonly client: ServerClient;
}

/** What one round has brought to the server. */
export interface ShipReport {
  readonly files: number;
  readonly bytes: number;
  readonly events: number;
  /** Git activities, and sessions whose working trees were reported. */
  readonly git: number;
  readonly refused: number;
  /** Why it stopped before everything was there. */
  readonly paused: string | null;
}

/** How a step went: on with the next, or no further for now. */
export type Halt = Extract<Reply<never>, { kind: 'locked' | 'busy' }>;
export type Step = { readonly bytes: number; readonly outcome: 'shipped' | 'refused' | 'stumbled' } | Halt;

const BATCH = 500;
/** Small enough to pass within half a minute over a slow line. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** So many files in a row that the server stumbles over, and it is the server that is ill. */
const MAX_STUMBLES = 3;

/**
 * Brings to the server what it does not have: events, then generations of files, from the archive, never from the live
 * file, then what was read of git. What is to be done follows from what is stored; so it may stop anywhere, and nothing waits but pointers (B10).
 * Errors: busy when another process ships.
 */
export async function ship(options: ShipOptions): Promise<ShipReport> {
  const { engine, device, server, clock, signal } = options;
  const nothing = { files: 0, bytes: 0, events: 0, git: 0, refused: 0 };
  const pause = await loadPause(engine.kysely, server.url);
  if (pause !== null && isPaused(pause, server, clock)) return { ...nothing, paused: pause.reason };
  const settled = { fetch, random: Math.random, chunkBytes: CHUNK_BYTES, ...options, device: namesOf(device) };
  const client = createServerClient({ server, signal, fetch: settled.fetch, now: () => clock.now() });
  return withLease(engine, `ship ${device.id}`, () => shipAll({ ...settled, client }, pause));
}

/** All that a server learns about a device. */
function namesOf({ id, name, hostname, os, arch }: Device): Device {
  return { id, name, hostname, os, arch };
}

/** B8: another token is tried at once; the same one now and then, for the server may have learned it. */
function isPaused({ nextTryMs: untilMs, refusedTokenSha256 }: Pause, server: Server, clock: Clock): boolean {
  const isOtherToken = refusedTokenSha256 !== null && refusedTokenSha256 !== tokenHash(server);
  return !isOtherToken && clock.now().getTime() < untilMs;
}

function tokenHash({ token }: Server): string {
  return sha256Hex(token);
}

export type Tally = { -readonly [K in keyof ShipReport]: ShipReport[K] };

async function shipAll(deps: ShipDeps, pause: Pause | null): Promise<ShipReport> {
  const tally: Tally = { files: 0, bytes: 0, events: 0, git: 0, refused: 0, paused: null };
  const halt = (await shipEvents(deps, tally)) ?? (await shipFiles(deps, tally)) ?? (await shipGit(deps, tally));
  // Stopped by us: that says nothing about the server.
  if (deps.signal.aborted) return tally;
  if (halt !== null) tally.paused = await takeBreak(deps, pause, halt, tally);
  else if (pause !== null) await endPause(deps.engine.kysely, deps.server.url);
  return tally;
}

async function shipFiles(deps: ShipDeps, tally: Tally): Promise<Halt | null> {
  const route = { server: deps.server.url, deviceId: deps.device.id };
  for (let stumbles = 0; !deps.signal.aborted; ) {
    const pending = await findPending(deps.engine.kysely, route, deps.clock.now().getTime(), BATCH);
    if (pending.length === 0) return null;
    for (const one of pending) {
      if (deps.signal.aborted) return null;
      const step = await shipGeneration(deps, one);
      if ('kind' in step) return step;
      tally.bytes += step.bytes;
      if (step.outcome === 'shipped') tally.files++;
      if (step.outcome === 'refused') tally.refused++;
      stumbles = step.outcome === 'stumbled' ? stumbles + 1 : 0;
      if (stumbles >= MAX_STUMBLES) return { kind: 'busy', reason: 'The server failed on every file.', waitMs: 0 };
    }
  }
  return null;
}

/** No attempt of any file is counted: it is the server that cannot, or does not let us in. */
async function takeBreak(deps: ShipDeps, before: Pause | null, halt: Halt, tally: Tally): Promise<string> {
  const { engine, server, clock, random } = deps;
  const nowMs = clock.now().getTime();
  const hasWorked = tally.files + tally.events + tally.git > 0;
  const failures = (hasWorked ? 0 : (before?.failures ?? 0)) + 1;
  const pause =
    halt.kind === 'locked'
      ? { failures, nextTryMs: nowMs + MAX_WAIT_MS, refusedTokenSha256: tokenHash(server) }
      : { failures, nextTryMs: nextTryMs(nowMs, failures, halt.waitMs, random), refusedTokenSha256: null };
  await savePause(engine.kysely, server.url, { ...pause, reason: halt.reason }, clock.now().toISOString());
  return halt.reason;
}

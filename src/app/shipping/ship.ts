import type { Config } from '../../config.ts';
import { FuelError } from '../../domain/errors.ts';
import type { BlobStore, Clock } from '../../domain/ports.ts';
import { isUnencrypted } from '../../domain/requests.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Engine } from '../../store/engine.ts';
import { withLease } from '../../store/queries/claims/leases.ts';
import type { Device } from '../../store/queries/devices/devices.ts';
import { countGitToShip } from '../../store/queries/shipping/git-shipments.ts';
import { countShipments, findUnshipped } from '../../store/queries/shipping/shipments.ts';
import { endPause, loadPause, type Pause, savePause } from '../../store/queries/shipping/shipping.ts';
import {
  createServerClient,
  MAX_WAIT_MS,
  nextTryMs,
  type Reply,
  type Server,
  type ServerClient,
} from './server-client.ts';
import { gitPauseKey, shipDeletions, shipEvents, shipGit } from './ship-batches.ts';
import { shipGeneration } from './ship-generation.ts';

type ShipArchiveDeps = Pick<ShipOptions, 'engine' | 'blobs' | 'clock' | 'device'> & { readonly config: Config };

/** Sends everything the configured server lacks. Null without a server, or while another process is sending. */
export async function shipArchive(
  deps: ShipArchiveDeps,
  signal: AbortSignal,
  { onlyEvents = false }: ShipScope = {},
): Promise<ShipReport | null> {
  const { serverUrl: url, serverToken: token } = deps.config;
  if (url === null) return null;
  const obstacle = obstacleOf(deps.config);
  if (obstacle !== null || token === null) return { ...NOTHING, paused: obstacle };
  try {
    return await ship({ ...deps, server: { url, token }, signal, onlyEvents });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  }
}

const NOTHING: ShipReport = { files: 0, bytes: 0, events: 0, git: 0, refused: 0, paused: null };

/** J15: the reason why this configuration sends nothing, or null. */
function obstacleOf({ serverUrl, serverToken, serverAllowHttp }: Config): string | null {
  if (serverToken === null) return 'serverToken is not set: set it to the token of the server.';
  if (serverAllowHttp || serverUrl === null || !isUnencrypted(serverUrl)) return null;
  return 'serverUrl is not encrypted: use https, or set serverAllowHttp if you trust the network.';
}

/** What the server lacks, and why; shown by `status`. */
export interface ShippingReport {
  readonly server: string;
  readonly waiting: number;
  readonly git_waiting: number;
  readonly refused: number;
  readonly paused: string | null;
  readonly next_try_at: string | null;
  /** The server rejects our token. */
  readonly is_locked: boolean;
}

export async function reportShipping({ config, engine, device }: ShipArchiveDeps): Promise<ShippingReport | null> {
  if (config.serverUrl === null) return null;
  const route = { server: config.serverUrl, deviceId: device.id };
  const pause = await loadPause(engine.kysely, config.serverUrl);
  const gitPause = await loadPause(engine.kysely, gitPauseKey(config.serverUrl));
  return {
    server: config.serverUrl,
    ...(await countShipments(engine.kysely, route)),
    git_waiting: await countGitToShip(engine.kysely, route),
    paused: obstacleOf(config) ?? pause?.reason ?? gitPause?.reason ?? null,
    next_try_at: pause === null ? null : new Date(pause.nextTryMs).toISOString(),
    is_locked: pause !== null && pause.refusedTokenSha256 !== null,
  };
}

export interface ShipScope {
  /** Deletions and events, which are small, but no files. */
  readonly onlyEvents?: boolean;
}

export interface ShipOptions extends ShipScope {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly device: Device;
  readonly server: Server;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
  /** Maximum bytes per request; the server accepts up to 8 MiB. */
  readonly chunkBytes?: number;
}

export interface ShipDeps extends Required<ShipOptions> {
  readonly client: ServerClient;
}

/** Counts of what was sent. */
export interface ShipReport {
  readonly files: number;
  readonly bytes: number;
  readonly events: number;
  /** Git activities, and sessions whose working trees were reported. */
  readonly git: number;
  readonly refused: number;
  /** Why it stopped early, or null. */
  readonly paused: string | null;
}

/** A reply that stops all sending for now. */
export type Halt = Extract<Reply<never>, { kind: 'locked' | 'busy' }>;
export type Step = { readonly bytes: number; readonly outcome: 'shipped' | 'refused' | 'failed' } | Halt;

const BATCH = 500;
/** Within half a minute, the largest passes over 1.2 Mbit/s and the smallest over 20 kbit/s. */
const CHUNK_BYTES = [4_096, 1_024, 256, 64].map((kibibytes) => kibibytes * 1024);
/** After this many consecutive failures, the server is at fault rather than the files. */
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Sends deletions, then events, then archived files (never live ones), then git activity. The database records what the
 * server lacks, so sending may stop at any point and nothing is queued in memory (B10). Errors: busy when another process
 * is sending.
 */
export async function ship(options: ShipOptions): Promise<ShipReport> {
  const { engine, device, server, clock, signal } = options;
  const pause = await loadPause(engine.kysely, server.url);
  if (pause !== null && isPaused(pause, server, clock)) return { ...NOTHING, paused: pause.reason };
  const settled = {
    fetch,
    random: Math.random,
    chunkBytes: chunkBytesAfter(pause?.failures ?? 0),
    onlyEvents: false,
    ...options,
    device: namesOf(device),
  };
  const client = createServerClient({ server, signal, fetch: settled.fetch, now: () => clock.now() });
  return withLease(engine, `ship ${device.id}`, () => shipAll({ ...settled, client }, pause));
}

/** The line may have been too slow for the last chunk. */
function chunkBytesAfter(failures: number): number {
  return CHUNK_BYTES[Math.min(failures, CHUNK_BYTES.length - 1)] ?? Number.NaN;
}

/** The only fields of a device that are sent. */
function namesOf({ id, name, hostname, os, arch }: Device): Device {
  return { id, name, hostname, os, arch };
}

/** B8: a new token is tried immediately, a rejected one now and then because the server may accept it later. */
function isPaused({ nextTryMs: untilMs, refusedTokenSha256 }: Pause, server: Server, clock: Clock): boolean {
  const isOtherToken = refusedTokenSha256 !== null && refusedTokenSha256 !== tokenHash(server);
  return !isOtherToken && clock.now().getTime() < untilMs;
}

function tokenHash({ token }: Server): string {
  return sha256Hex(token);
}

export type Tally = { -readonly [K in keyof ShipReport]: ShipReport[K] };

async function shipAll(deps: ShipDeps, pause: Pause | null): Promise<ShipReport> {
  const tally: Tally = { ...NOTHING };
  const halt =
    (await shipDeletions(deps)) ??
    (await shipEvents(deps, tally)) ??
    (deps.onlyEvents ? null : ((await shipFiles(deps, tally)) ?? (await shipGit(deps, tally))));
  // We stopped, so this says nothing about the server.
  if (deps.signal.aborted) return tally;
  if (halt !== null) tally.paused = await pauseSending(deps, pause, halt, tally);
  else if (pause !== null) await endPause(deps.engine.kysely, deps.server.url);
  return tally;
}

async function shipFiles(deps: ShipDeps, tally: Tally): Promise<Halt | null> {
  const route = { server: deps.server.url, deviceId: deps.device.id };
  for (let failures = 0; !deps.signal.aborted; ) {
    const pending = await findUnshipped(deps.engine.kysely, route, deps.clock.now().getTime(), BATCH);
    if (pending.length === 0) return null;
    for (const one of pending) {
      if (deps.signal.aborted) return null;
      const step = await shipGeneration(deps, one);
      if ('kind' in step) return step;
      tally.bytes += step.bytes;
      if (step.outcome === 'shipped') tally.files++;
      if (step.outcome === 'refused') tally.refused++;
      failures = step.outcome === 'failed' ? failures + 1 : 0;
      if (failures >= MAX_CONSECUTIVE_FAILURES)
        return { kind: 'busy', reason: 'The server failed on every file.', waitMs: 0 };
    }
  }
  return null;
}

/** The server is unavailable or rejects us, so this does not count as an attempt for any file. */
async function pauseSending(deps: ShipDeps, before: Pause | null, halt: Halt, tally: Tally): Promise<string> {
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

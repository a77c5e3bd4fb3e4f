import type { DeviceIdentity } from '../../capture/device.ts';
import type { Config } from '../../config.ts';
import { FuelError } from '../../domain/errors.ts';
import type { BlobStore, Clock } from '../../domain/ports.ts';
import { isOpenOnTheWay } from '../../domain/server-address.ts';
import { gitDoor } from './git-door.ts';
import type { ShipReport } from './ship.ts';
import type { Engine } from '../../store/engine.ts';
import { countGitToShip } from '../../store/queries/shipping/git-shipments.ts';
import { countShipments } from '../../store/queries/shipping/shipments.ts';
import { loadPause } from '../../store/queries/shipping/shipping.ts';

interface ShipArchiveDeps {
  readonly config: Config;
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly device: DeviceIdentity;
}

/** One round of shipping, as the configuration says. Null without a server, or while another process is at it. */
export async function shipArchive(deps: ShipArchiveDeps, signal: AbortSignal): Promise<ShipReport | null> {
  const { serverUrl: url, serverToken: token } = deps.config;
  if (url === null) return null;
  const obstacle = obstacleOf(deps.config);
  if (obstacle !== null || token === null) return { ...NOTHING, paused: obstacle };
  const { ship } = await import('./ship.ts');
  try {
    return await ship({ ...deps, server: { url, token }, signal });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  }
}

const NOTHING = { files: 0, bytes: 0, events: 0, git: 0, refused: 0 };

/** J15: why this configuration sends nothing; null when it does. */
function obstacleOf({ serverUrl, serverToken, serverAllowHttp }: Config): string | null {
  if (serverToken === null) return 'serverToken is not set: set it to the token of the server.';
  if (serverAllowHttp || serverUrl === null || !isOpenOnTheWay(serverUrl)) return null;
  return 'serverUrl is not encrypted: use https, or set serverAllowHttp if you trust the network.';
}

/** For `status`: what the server lacks, and why. */
export interface ShippingReport {
  readonly server: string;
  readonly waiting: number;
  readonly git_waiting: number;
  readonly refused: number;
  readonly paused: string | null;
  readonly next_try_at: string | null;
  /** The server does not know our token. */
  readonly is_locked: boolean;
}

export async function reportShipping({ config, engine, device }: ShipArchiveDeps): Promise<ShippingReport | null> {
  if (config.serverUrl === null) return null;
  const route = { server: config.serverUrl, deviceId: device.id };
  const pause = await loadPause(engine.kysely, config.serverUrl);
  const gitPause = await loadPause(engine.kysely, gitDoor(config.serverUrl));
  return {
    server: config.serverUrl,
    ...(await countShipments(engine.kysely, route)),
    git_waiting: await countGitToShip(engine.kysely, route),
    paused: obstacleOf(config) ?? pause?.reason ?? gitPause?.reason ?? null,
    next_try_at: pause === null ? null : new Date(pause.nextTryMs).toISOString(),
    is_locked: pause !== null && pause.refusedTokenSha256 !== null,
  };
}

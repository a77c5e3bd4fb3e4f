import type { Checkup } from '../api/checkup.ts';
import type { CheckupDeps } from './doctor.ts';

/** Reading the client's version starts the client, so it is done once. */
let clientVersion: Promise<string | null> | null = null;

/** Findings about this installation. The code of the checks is loaded on demand. */
export async function openCheckup(deps: CheckupDeps, isFull: boolean): Promise<Checkup> {
  const [{ checkUp }, { readClientVersion }] = await Promise.all([
    import('./doctor.ts'),
    import('../capture/hook/hook-events.ts'),
  ]);
  clientVersion ??= readClientVersion();
  return checkUp(deps, await clientVersion, isFull);
}

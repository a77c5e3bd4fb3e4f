import type { Checkup } from '../api/checkup.ts';
import type { CheckupDeps } from './doctor.ts';

/** Asking for the version of the client starts it, which is done once. */
let clientVersion: Promise<string | null> | null = null;

/** Findings about this installation. The checks are loaded only when they are asked for. */
export async function openCheckup(deps: CheckupDeps, isFull: boolean): Promise<Checkup> {
  const [{ checkUp }, { readClientVersion }] = await Promise.all([
    import('./doctor.ts'),
    import('../capture/hook/hook-events.ts'),
  ]);
  clientVersion ??= readClientVersion();
  return checkUp(deps, await clientVersion, isFull);
}

import { readLogStamp } from './capture/git/log-stamp.ts';
import type { Engine } from './store/engine.ts';
import { listLooks } from './store/queries/repository-looks.ts';

/** Whether the logs of a known repository have changed since they were last read. */
export async function hasNewActivity({ kysely }: Engine, deviceId: string): Promise<boolean> {
  const looks = await listLooks(kysely, deviceId);
  return looks.some(({ commonDir, stamp }) => {
    const now = readLogStamp(commonDir);
    return now !== null && now !== stamp;
  });
}

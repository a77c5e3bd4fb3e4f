import { utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lib/private-file.ts';
import { bookingRewrite } from './stories/booking-rewrite.ts';
import { everyday } from './stories/everyday.ts';
import { ledgerOld, ledgerRewind } from './stories/ledger.ts';
import { ledgerImport } from './stories/ledger-import.ts';
import { mapTeam } from './stories/map-team.ts';
import { starLive, starNames } from './stories/stars.ts';
import { tideCache } from './stories/tide-cache.ts';
import { winterTimetable } from './stories/winter-timetable.ts';
import type { DemoFile } from './story.ts';

type Story = (now: Date) => DemoFile[];

/** Long sessions, each with something special. */
export const STORIES: readonly Story[] = [
  winterTimetable,
  tideCache,
  mapTeam,
  bookingRewrite,
  ledgerImport,
  ledgerRewind,
  ledgerOld,
  starNames,
  starLive,
];

/**
 * Writes a small Claude home with sample sessions, the newest a few minutes before `now`. The same date gives the same
 * bytes.
 */
export async function writeDemoHome(
  dir: string,
  now: Date,
  stories: readonly Story[] = [...STORIES, everyday],
): Promise<void> {
  for (const file of stories.flatMap((story) => story(now))) {
    const path = join(dir, file.path);
    makeFolder(dirname(path), 0o700);
    await writeFile(path, file.text, { mode: 0o600 });
    await utimes(path, file.modifiedAt, file.modifiedAt);
  }
}

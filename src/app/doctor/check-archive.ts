import type { App } from '../open-app.ts';
import type { Config } from '../../config.ts';
import { compareJournal } from '../../archive/journal/compare.ts';
import { freeBytes } from '../../lib/private-file.ts';
import { formatBytes, plural } from '../../reading/format.ts';
import type { Engine } from '../../store/engine.ts';
import { unknownCaptures } from '../../reading/sentences.ts';
import type { Check } from './check.ts';

const LOW_BYTES = 1024 ** 3;
const TOO_LOW_BYTES = 16 * 1024 ** 2;

/** Where nothing can be written, nothing is kept. */
export function checkSpace({ home }: Config): Check {
  const name = 'disk';
  const free = freeBytes(home);
  if (free === null) return { name, state: 'ok', message: 'free disk space is unknown' };
  const message = `${formatBytes(free)} free for ${home}`;
  if (free < TOO_LOW_BYTES) {
    return {
      name,
      state: 'bad',
      message: `only ${message}. Free some space, or nothing more can be stored.`,
      isDamage: true,
    };
  }
  return free < LOW_BYTES ? { name, state: 'warn', message: `only ${message}` } : { name, state: 'ok', message };
}

export async function checkDatabase(engine: Engine): Promise<Check> {
  const name = 'store';
  const [first, ...more] = await engine.findDamage('quick');
  if (first === undefined) return { name, state: 'ok', message: `${engine.name} is working` };
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  const message = `The database is damaged: ${first}${rest}. Run \`fuel-code rebuild\` to create a new one from the archive.`;
  return { name, state: 'bad', message, isDamage: true };
}

/** What the journal holds is what comes back if the database is lost. */
export async function checkJournal({ store, journal }: App): Promise<Check> {
  const name = 'archive';
  const { captures, damaged, unknown, missing, missingEvents } = await compareJournal(store.engine, journal);
  const findings = [
    ...(unknown > 0 ? [unknownCaptures(unknown)] : []),
    ...(damaged.length > 0
      ? [
          `${plural(damaged.length, 'line of the journal is', 'lines of the journal are')} damaged, first ${damaged[0]}.`,
        ]
      : []),
    ...(missing.length > 0 ? [`${plural(missing.length, 'capture')} missing from the journal.`] : []),
    ...(missingEvents.length > 0 ? [`${plural(missingEvents.length, 'hook event')} missing from the journal.`] : []),
  ];
  if (findings.length === 0) {
    return { name, state: 'ok', message: `the journal is complete (${plural(captures, 'capture')})` };
  }
  const way = unknown > 0 ? '' : ' Run `fuel-code verify --heal` to repair it from the database.';
  return { name, state: 'bad', message: `${findings.join(' ')}${way}`, isDamage: true };
}

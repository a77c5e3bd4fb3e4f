import type { App } from '../app/open-app.ts';
import { FuelError } from '../domain/errors.ts';
import { plural } from '../reading/format.ts';
import { unknownCaptures } from '../reading/sentences.ts';
import { remark } from './say.ts';
import type { Terminal } from './terminal.ts';

/** Warns that the output is incomplete because the archive holds captures that the database does not know. */
export async function remarkUnknownCaptures(terminal: Terminal, app: App): Promise<void> {
  const count = await app.countUnknownCaptures();
  if (count > 0) remark(terminal, unknownCaptures(count));
}

/**
 * The same check before a command prints anything. Errors: store_corrupt when there are no sessions at all, since "no
 * sessions" and a cost of zero would look like an answer.
 */
export async function refuseLostDatabase(terminal: Terminal, app: App): Promise<void> {
  const count = await app.countUnknownCaptures();
  if (count === 0) return;
  const { sessions } = await app.get('/status');
  if (sessions > 0) return remark(terminal, unknownCaptures(count));
  throw new FuelError(
    'store_corrupt',
    `The database is empty, but the archive holds ${plural(count, 'capture')}: the database was lost or replaced.`,
    { hint: 'Run `fuel-code rebuild` to derive every session from the archive again.' },
  );
}

export function readOnlyFolder(home: string): string {
  return `The data folder ${home} is not writable. Showing stored data; nothing new is imported.`;
}

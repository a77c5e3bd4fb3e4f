import { FuelError } from '../domain/errors.ts';
import { plural } from '../reading/format.ts';
import { interrupted } from './catch-up.ts';

/** Fails a command with unfinished work, so that no script takes it for complete. Errors: interrupted, incomplete. */
export function refuseUnfinished(signal: AbortSignal, left: number): void {
  if (signal.aborted) throw interrupted('Interrupted before all work was done.');
  if (left === 0) return;
  throw new FuelError('incomplete', `${plural(left, 'session or file is', 'sessions or files are')} incomplete.`, {
    hint: 'Fix the cause and run the command again. `fuel-code recover --dry-run` lists what is left; `fuel-code doctor` checks the installation.',
  });
}

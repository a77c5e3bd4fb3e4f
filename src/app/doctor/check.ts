import type { Expiring } from '../../capture/retention.ts';
import { toFuelError } from '../../domain/errors.ts';

/** The result of one check of `fuel-code doctor`. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly message: string;
  /** Archived data is damaged or lost, or no more can be stored. */
  readonly isDamage?: boolean;
  /** Files that Claude Code deletes next, and when. */
  readonly files?: readonly Expiring[];
}

/** A check that throws has failed. */
export function attempt(name: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(name, error);
  }
}

export function failed(name: string, error: unknown): Check {
  const { message, hint, code } = toFuelError(error);
  const isDamage = code === 'store_corrupt' || code === 'disk_full' || code.startsWith('blob_');
  return { name, state: 'bad', message: hint ? `${message} ${hint}` : message, isDamage };
}

import type { Migration } from '../migrate.ts';
import { first } from './001-first.ts';

/** In order; a released one is never edited. */
export const MIGRATIONS: readonly Migration[] = [first];

import type { Migration } from '../migrate.ts';
import { first } from './001-first.ts';
import { git } from './002-git.ts';
import { structure } from './003-structure.ts';
import { shipments } from './006-shipments.ts';

/** In order; a released one is never edited. */
export const MIGRATIONS: readonly Migration[] = [first, git, structure, shipments];

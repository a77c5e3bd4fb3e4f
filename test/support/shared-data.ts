import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Real transcripts and a generator of Claude homes with known figures. They are not part of this repository; tests that need
 * them are skipped where the folder does not exist.
 */
const FOLDER = join(import.meta.dirname, '../../../shared');
export const REAL_FILES = join(FOLDER, 'fixtures/real');
export const HAS_REAL_FILES = existsSync(REAL_FILES);
/** Lays the real files out as a Claude home. */
export const LAY_OUT = join(FOLDER, 'tools/lay-out.mjs');
export const GENERATOR = join(FOLDER, 'tools/make-corpus.mjs');
export const HAS_GENERATOR = existsSync(GENERATOR);
export const PRICE_FACTS = join(FOLDER, 'reference/prices.json');

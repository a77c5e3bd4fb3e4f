import type { Migration } from '../migrate.ts';

/** An index of the texts themselves, where the engine has one. */
export const texts: Migration = { version: 10, name: 'texts', statements: () => [] };

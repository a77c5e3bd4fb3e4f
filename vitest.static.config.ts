import { defineConfig } from 'vitest/config';

/** For tests that read files only: no database, no object store. */
// oxlint-disable-next-line import/no-default-export -- required by vitest
export default defineConfig({ test: { include: ['test/*.test.ts'] } });

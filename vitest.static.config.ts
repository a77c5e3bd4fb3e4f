import { defineConfig } from 'vitest/config';

/** For tests that read files only: no database, no object store. */
export default defineConfig({ test: { include: ['test/architecture.test.ts', 'test/docs.test.ts'] } });

import { defineConfig } from 'vitest/config';

/** `npm run test:client`: tests with the real Claude Code client, which `npm test` never installs. */
// oxlint-disable-next-line import/no-default-export -- required by vitest
export default defineConfig({
  test: {
    include: ['test/client/**/*.client.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // How fast a session is captured is measured, so only one runs at a time.
    fileParallelism: false,
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/setup/longest-first.ts';
import { Progress } from './test/setup/progress.ts';
import { findTests } from './test/setup/projects.ts';

/** Against tests that hang, not against slow machines: no test comes near it, even where fifty others run beside it. */
const HANG_MS = 20 * 60_000;

const tests = findTests();
const common = {
  testTimeout: HANG_MS,
  hookTimeout: HANG_MS,
  pool: 'forks',
  // Node.js reads our sources as they are: nothing need be translated, which is a fifth of all the work.
  experimental: { viteModuleRunner: false },
} as const;

export default defineConfig({
  test: {
    // Most tests wait for a database or a program: no core need be left free for the runner.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    reporters: [new Progress()],
    projects: [
      // These start nothing and share nothing, so many of them can share a process.
      { test: { ...common, name: 'unit', include: tests.unit, isolate: false } },
      { test: { ...common, name: 'program', include: tests.program, isolate: false } },
      {
        test: {
          ...common,
          name: 'services',
          include: tests.services,
          isolate: false,
          globalSetup: ['test/setup/services.ts'],
        },
      },
      { test: { ...common, name: 'browser', include: tests.browser } },
    ],
  },
});

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
  // Files share processes, for loading the sources takes half a second. So a test must undo what it changes in its process.
  isolate: false,
} as const;

export default defineConfig({
  test: {
    // Tests often wait for a database, a program or a timer: more of them than cores, so that no core is idle meanwhile.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    reporters: [new Progress()],
    projects: [
      { test: { ...common, name: 'unit', include: tests.unit } },
      { test: { ...common, name: 'program', include: tests.program } },
      { test: { ...common, name: 'services', include: tests.services, globalSetup: ['test/setup/services.ts'] } },
      { test: { ...common, name: 'browser', include: tests.browser, globalSetup: ['test/setup/page.ts'] } },
    ],
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/setup/longest-first.ts';
import { Progress } from './test/setup/progress.ts';
import { findTests } from './test/setup/projects.ts';
import { makeRunFolder } from './test/setup/run-folder.ts';
import { COMPILED } from './test/support/processes.ts';

/**
 * A limit for tests that hang, not for slow machines: no test comes near it, even with fifty others running at the same
 * time.
 */
const HANG_MS = 20 * 60_000;

// This process starts the servers, and its child processes, which run the tests, inherit this.
process.env['TMPDIR'] = makeRunFolder();
// The same time zone everywhere; tests of other time zones set their own.
process.env['TZ'] = 'UTC';
// Threads then start in a third of the time, because Node.js does not strip the types of our sources again.
process.env['NODE_COMPILE_CACHE'] ??= COMPILED;

const tests = findTests();
const common = {
  testTimeout: HANG_MS,
  // In CI a failed test is run once more, and reported as flaky if it passes then.
  retry: process.env['CI'] === undefined ? 0 : 1,
  hookTimeout: HANG_MS,
  pool: 'forks',
  // Node.js runs our sources directly; skipping vite's transform saves a fifth of the time.
  experimental: { viteModuleRunner: false },
  // Test files share processes, because loading the sources takes half a second. A test must undo its changes to the
  // process.
  isolate: false,
} as const;

export default defineConfig({
  test: {
    // Tests often wait for a database, a program or a timer, so there are more workers than cores.
    maxWorkers: 4 * availableParallelism(),
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

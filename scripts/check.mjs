// `npm run check`: the static checks, and the tests that read the sources and the manual.
import { spawnSync } from 'node:child_process';
import { runChecks } from './checks.mjs';

const { passed, failed } = await runChecks();
const tests = ['test/architecture.test.ts', 'test/docs.test.ts'];
const { status } = spawnSync('node_modules/.bin/vitest', ['run', '--config', 'vitest.static.config.ts', ...tests], {
  stdio: 'inherit',
});
(status === 0 ? passed : failed).push('architecture and docs');
process.stdout.write(`${passed.length} passed, ${failed.length} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);

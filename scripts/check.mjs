// `npm run check`: the static checks, and the tests that read the source code and the manual.
import { spawnSync } from 'node:child_process';
import { runChecks } from './checks.mjs';

const { passed, failed } = await runChecks();
const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.static.config.ts'];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
(status === 0 ? passed : failed).push('architecture, manual and lock file');
process.stdout.write(`${passed.length} passed, ${failed.length} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);

// `npm test`: the checks, then every suite; ends with the count of both on a line of its own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const checks = await runChecks();
const folder = mkdtempSync(join(tmpdir(), 'fuel-code-test-'));
const report = join(folder, 'report.json');
const vitest = spawnSync(
  join(root, 'node_modules/.bin/vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
const counts = readCounts();
rmSync(folder, { recursive: true });

const passed = checks.passed.length + counts.passed;
// A suite that does not load, or a crash of the runner, is a failure that no test carries.
const isUncounted = vitest.status !== 0 && counts.failed === 0;
const failed = checks.failed.length + counts.failed + (isUncounted ? 1 : 0);
if (checks.failed.length > 0) process.stdout.write(`Checks that failed: ${checks.failed.join(', ')}\n`);
if (isUncounted) process.stdout.write('The test runner failed outside of any test; see above.\n');
process.stdout.write(`${passed} passed, ${failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}\n`);
process.exit(failed === 0 ? 0 : 1);

function readCounts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

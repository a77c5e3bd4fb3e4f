// `npm test`: the static checks and all tests; the last line has the totals of both. `npm run test:unit` is the same
// with --project unit and without the checks. `--record` writes test/setup/seconds.json.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const args = process.argv.slice(2).filter((arg) => arg !== '--record');
// Static checks are skipped when only some of the tests are requested.
const noChecks = { passed: [], failed: [] };
// At the same time, because both use only one core at their start or end.
const [checks, counts] = await Promise.all([args.length > 0 ? noChecks : runChecks(), runTests()]);
if (process.argv.includes('--record')) record(counts.seconds);

const passed = checks.passed.length + counts.passed;
const failed = checks.failed.length + counts.failed;
if (checks.failed.length > 0) print(`Checks that failed: ${checks.failed.join(', ')}`);
for (const { name, why } of counts.skipped) print(`skipped: ${name} (${why})`);
if (counts.skipped.length > 0) print(`${counts.skipped.length} skipped`);
for (const failure of counts.flaky) print(`flaky, passed when run again: ${explain(failure)}`);
for (const failure of counts.failures) print(`failed: ${explain(failure)}`);
print(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-test-'));
  const report = join(folder, 'report.json');
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: report, TEST_PAGE: join(root, 'dist/web') },
  });
  // A terminal sends Ctrl-C to both processes. The runner stops its servers and removes its files.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, 'exit');
  const counted = readReport(report);
  rmSync(folder, { recursive: true });
  // A suite that does not load, or a crash of the runner, is a failure outside of any test.
  if (status === 0 || counted.failed > 0) return counted;
  print('The test runner failed outside of any test; see above.');
  return { ...counted, failed: 1 };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: [], failures: [], flaky: [], seconds: {} };
  }
}

/** Rounded durations of the files; only their order matters. */
function record(seconds) {
  const path = join(root, 'test/setup/seconds.json');
  const all = { ...JSON.parse(readFileSync(path, 'utf8')), ...seconds };
  const long = Object.entries(all)
    .map(([file, value]) => [file, Math.round(value)])
    .filter(([, value]) => value >= 1);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(long.sort()), null, 2)}\n`);
}

function explain({ name, why }) {
  return `${name}\n  ${why.replaceAll('\n', '\n  ')}`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

// The checks that do not run the program, by name. `npm run check` runs them; `npm test` runs and counts them.
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

const CHECKS = [
  ['types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']],
  ['types of the page', bin('tsc'), ['--noEmit', '-p', 'src/web/tsconfig.json']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings', 'src', 'test', 'bench', 'scripts']],
  ['format', bin('biome'), ['check', '.']],
  ['dead code', bin('knip'), ['--no-progress']],
];

/** Runs every check, prints the output of failed ones, and returns the names of passed and failed checks. */
export async function runChecks() {
  const passed = [];
  const failed = [];
  const waiting = CHECKS.entries();
  const work = async () => {
    for (const [at, [name, program, args]] of waiting) {
      process.stdout.write(`static check ${at + 1} of ${CHECKS.length}: ${name}\n`);
      const { code, output } = await capture(program, args);
      if (code === 0) passed.push(name);
      else {
        failed.push(name);
        process.stdout.write(`\ncheck "${name}" failed:\n${output}\n`);
      }
    }
  };
  // Some checks use one core only, so two of them run at once.
  await Promise.all([work(), work()]);
  return { passed, failed };
}

function capture(program, args) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => done({ code: 1, output: error.message }));
    child.on('close', (code) => done({ code, output }));
  });
}

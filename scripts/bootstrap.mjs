// Entry point of every npm script. On a clean clone with Node.js 20 or newer, it installs dependencies when the lock
// file has changed, builds when a source file has changed, and continues with the project's own Node.js. It has no
// dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const ownNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`Setting up fuel-code requires Node.js ${OLDEST_NODE} or newer; this is ${process.versions.node}.`);
}

/** The program behind each script, and whether it needs a build. */
const TARGETS = {
  start: { needsBuild: true, args: ['bin/fuel-code'] },
  test: { needsBuild: true, args: ['scripts/test.mjs'] },
  'test:unit': { needsBuild: false, args: ['scripts/test.mjs', '--project', 'unit', '--maxWorkers', '100%'] },
  'test:client': { needsBuild: true, args: ['scripts/test-client.mjs'] },
  build: { needsBuild: true, args: [] },
  check: { needsBuild: false, args: ['scripts/check.mjs'] },
  format: { needsBuild: false, args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write'] },
  bench: { needsBuild: true, args: ['bench/run.ts'] },
};

const [name = '', ...rest] = process.argv.slice(2);
const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : null;
if (target === null) fail(`Unknown script ${JSON.stringify(name)}. Valid scripts: ${Object.keys(TARGETS).join(', ')}.`);
install();
if (target.needsBuild) build({ always: name === 'build' });
const [script, ...args] = target.args;
// The formatter formats everything when no files are given.
if (script !== undefined)
  run([join(root, script), ...args, ...(name === 'format' && rest.length === 0 ? ['.'] : rest)]);

function install() {
  const stamp = join(root, 'node_modules', '.fuel-code-installed');
  const wanted = hash([join(root, 'package-lock.json')]);
  if (read(stamp) === wanted && existsSync(ownNode)) return;
  report('Installing dependencies…');
  // A `production` setting in the environment or configuration would omit the packages for building and testing.
  runOrFail(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    'npm ci failed; see its output above.',
  );
  if (!existsSync(ownNode)) {
    fail(
      'Node.js 24 is missing because npm skipped the install script of the package `node`. Run `npm rebuild node` and try again.',
    );
  }
  writeFileSync(stamp, wanted);
}

function build({ always }) {
  const stamp = join(root, 'dist', '.stamp');
  const wanted = hash([
    ...files(join(root, 'src')),
    join(root, 'scripts/build.mjs'),
    join(root, 'package.json'),
    join(root, 'package-lock.json'),
  ]);
  if (!always && read(stamp) === wanted) return;
  report('Building…');
  runOrFail(ownNode, [join(root, 'scripts', 'build.mjs')], 'The build failed; see its output above.');
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function runOrFail(program, args, message) {
  const isNpm = program === 'npm' && process.env.npm_execpath;
  const [command, allArgs] = isNpm ? [process.execPath, [process.env.npm_execpath, ...args]] : [program, args];
  const { status } = spawnSync(command, allArgs, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) fail(message);
}

function run(args) {
  // First in PATH, so that child processes use the project's own Node.js.
  const path = `${dirname(ownNode)}${delimiter}${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const env = { ...process.env, PATH: path };
  const child = spawn(ownNode, args, {
    cwd: (name === 'start' && process.env.INIT_CWD) || root,
    stdio: 'inherit',
    env,
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (!/\.test\.tsx?$/.test(entry.name)) yield path;
  }
}

function hash(paths) {
  const sum = createHash('sha256');
  for (const path of paths) sum.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  return sum.digest('hex');
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function report(message) {
  process.stderr.write(`fuel-code: ${message}\n`);
}

function fail(message) {
  report(message);
  process.exit(1);
}

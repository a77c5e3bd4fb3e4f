// `npm run test:client`: the real Claude Code client from npm against a simulated model on loopback.
//
// CLIENT_VERSIONS=2.0.76,2.1.328  client versions (default: the newest known one)
// CLIENT_CACHE=DIR                installation folder (default: node_modules/.cache/fuel-code-client)
// FUEL_CODE_LAUNCHER=FILE         launcher of another fuel-code (default: the one just built)
//
// The client must not be redistributed: it is installed locally, and neither it nor its output is ever committed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEWEST = '2.1.328';
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const versions = (process.env.CLIENT_VERSIONS ?? NEWEST).split(',').filter((version) => version !== '');
const cache = resolve(process.env.CLIENT_CACHE ?? join(root, 'node_modules/.cache/fuel-code-client'));

process.chdir(root);
const clients = Object.fromEntries(versions.map((version) => [version, installClient(version)]));
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.client.config.ts'];
const [program, ...args] = [...findSandbox(), process.execPath, ...vitest, ...process.argv.slice(2)];
const { status } = spawnSync(program, args, {
  stdio: 'inherit',
  env: { ...process.env, FUEL_CODE_CLIENTS: JSON.stringify(clients) },
});
process.exit(status ?? 1);

/** The command line of a client: an executable, or up to 2.1 a script for Node.js. */
function installClient(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) fail(`Invalid version ${JSON.stringify(version)} in CLIENT_VERSIONS.`);
  const folder = join(cache, version);
  const found = findClient(folder);
  if (found !== null) return found;
  process.stdout.write(`Installing Claude Code ${version} into ${folder}\n`);
  mkdirSync(folder, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  run('npm', ['install', ...flags, `@anthropic-ai/claude-code@${version}`]);
  return (
    findClient(folder) ?? fail(`npm did not install Claude Code ${version} for ${process.platform}-${process.arch}.`)
  );
}

function findClient(folder) {
  const scope = join(folder, 'node_modules/@anthropic-ai');
  const script = join(scope, 'claude-code/cli.js');
  if (existsSync(script)) return [process.execPath, script];
  const names = existsSync(scope) ? readdirSync(scope) : [];
  const program = names
    .filter((name) => name.startsWith(`claude-code-${process.platform}-${process.arch}`))
    .map((name) => join(scope, name, 'claude'))
    .find(existsSync);
  return program === undefined ? null : [program];
}

/** Loopback only, with mounts that disappear when we exit. Prints a warning if the kernel does not allow it. */
function findSandbox() {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
  for (const flags of [['--net', '--mount'], ['--map-root-user', '--net', '--mount'], ['--net']]) {
    const sandbox = ['unshare', ...flags, ...inside];
    if (spawnSync(sandbox[0], [...sandbox.slice(1), 'true']).status === 0) return sandbox;
  }
  process.stdout.write(
    'Cannot create a network namespace: only the settings of the client keep it from using the network.\n',
  );
  return [];
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) fail(`${program} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findOnPath, installDebianPackages, isExecutable } from './debian-packages.ts';

const run = promisify(execFile);
const OLDEST_MAJOR = 15;
/** Against a server that never starts, not against a slow machine. */
const START_TIMEOUT_S = 600;
const CONNECT_TIMEOUT_MS = 120_000;
const PORT_ATTEMPTS = 3;
const DEBIAN_VERSIONS = '/usr/lib/postgresql';
const TO_DO = 'Install PostgreSQL 15 or newer, or set TEST_DATABASE_URL to one that may create databases.';

export interface RunningPostgres {
  /** URL of an administrator, with which every test creates its own database. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface OwnPostgres extends RunningPostgres {
  /** F4: simulates a crash: all connections break, and committed data is available again afterwards. */
  restart(): Promise<void>;
}

/** A server for a single test, which keeps committed data. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  return startPrivateServer((await findBinaries()) ?? (await installBinaries()), { synchronous_commit: 'on' });
}

/**
 * A real PostgreSQL >= 15: the one named by TEST_DATABASE_URL, else a private one from installed binaries, which are
 * installed if necessary.
 */
export async function startPostgres(): Promise<RunningPostgres> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') {
    await ensureUsable(given);
    return { url: given, stop: async () => {} };
  }
  return startPrivateServer((await findBinaries()) ?? (await installBinaries()));
}

async function ensureUsable(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < OLDEST_MAJOR) throw new Error(`it is version ${version}, the tests need ${OLDEST_MAJOR} or newer`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The PostgreSQL of TEST_DATABASE_URL cannot be used: ${why}. Correct the URL or unset it.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

/** The folder with initdb, pg_ctl and postgres, all of a supported version; newest Debian version first. */
async function findBinaries(): Promise<string | undefined> {
  const onPath = await findOnPath(['initdb']);
  const installed = existsSync(DEBIAN_VERSIONS) ? await readdir(DEBIAN_VERSIONS) : [];
  const newestFirst = installed.sort((a, b) => Number(b) - Number(a)).map((v) => join(DEBIAN_VERSIONS, v, 'bin'));
  // PATH may contain a symbolic link to initdb only; the other programs are next to its target.
  const candidates = [...(onPath === undefined ? [] : [dirname(await realpath(onPath))]), ...newestFirst];
  for (const folder of candidates) {
    if (await isSupported(folder)) return folder;
  }
  return undefined;
}

async function isSupported(folder: string): Promise<boolean> {
  const needed = await Promise.all(['initdb', 'pg_ctl', 'postgres'].map((name) => isExecutable(join(folder, name))));
  if (needed.includes(false)) return false;
  const { stdout } = await run(join(folder, 'postgres'), ['--version']);
  return Number(/(\d+)/.exec(stdout)?.[1] ?? 0) >= OLDEST_MAJOR;
}

async function installBinaries(): Promise<string> {
  const config = '/etc/postgresql-common/createcluster.conf';
  const noDefaultCluster = `[ -e ${config} ] || { mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > ${config}; }`;
  await installDebianPackages({
    packages: ['postgresql'],
    neededFor: 'The test suite (it runs on a real PostgreSQL)',
    insteadDo: TO_DO,
    commandsBefore: [['sh', '-c', noDefaultCluster]],
  });
  const folder = await findBinaries();
  if (folder === undefined) {
    throw new Error(`Debian's package postgresql is installed, but older than version ${OLDEST_MAJOR}. ${TO_DO}`);
  }
  return folder;
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or `nobody`. */
async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const entry = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody');
  if (entry === undefined) {
    throw new Error(`PostgreSQL refuses to run as root and there is no account postgres or nobody. ${TO_DO}`);
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** A temporary folder owned by the account of the server, below a folder that the account can access. */
async function makeServerFolder(account: Account): Promise<string> {
  const base = account.uid === undefined || (await isOpenToAll(tmpdir())) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(base, 'fuel-pg-'));
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}

type Settings = Readonly<Record<string, string>>;

async function startPrivateServer(binaries: string, own: Settings = {}): Promise<OwnPostgres> {
  const account = await serverAccount();
  const folder = await makeServerFolder(account);
  const keeper = startKeeper({ binaries, folder, account });
  const stop = () => stopKeeper(keeper, folder);
  try {
    const password = randomBytes(16).toString('hex');
    await initialise({ binaries, folder, account, password });
    const port = await startOnFreePort({ binaries, folder, account, own });
    const restart = async () => {
      const args = ['-D', join(folder, 'data'), '-l', join(folder, 'server.log'), '-m', 'immediate', '-w'];
      const options = ['-o', settings(folder, port, own)];
      await run(join(binaries, 'pg_ctl'), [...args, ...options, 'restart'], { ...account, cwd: folder });
    };
    const url = `postgres://fuel:${password}@127.0.0.1:${port}/postgres`;
    await ensureUsable(url);
    return { url, stop, restart };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A shell that stops the server and removes its folder as soon as its stdin closes: when we close it, and also when
 * this process is killed, so that no test run leaves a server behind.
 */
function startKeeper(options: { binaries: string; folder: string; account: Account }): ChildProcess {
  const script = `trap '' INT TERM HUP; cat > /dev/null; "$1"/pg_ctl -D "$2"/data -m immediate -w stop > /dev/null 2>&1; rm -rf "$2"`;
  return spawn('sh', ['-c', script, 'keeper', options.binaries, options.folder], {
    ...options.account,
    cwd: options.folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function stopKeeper(keeper: ChildProcess, folder: string): Promise<void> {
  const exited = keeper.exitCode === null && keeper.signalCode === null ? once(keeper, 'exit') : undefined;
  keeper.stdin?.end();
  await exited;
  await rm(folder, { recursive: true, force: true });
}

async function initialise(options: {
  binaries: string;
  folder: string;
  account: Account;
  password: string;
}): Promise<void> {
  const { binaries, folder, account, password } = options;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) await chown(passwordFile, account.uid, account.gid);
  const args = ['-D', join(folder, 'data'), '-U', 'fuel', `--pwfile=${passwordFile}`, '--auth=md5'];
  await run(join(binaries, 'initdb'), [...args, '--no-sync', '--encoding=UTF8', '--locale=C'], {
    ...account,
    cwd: folder,
  });
}

/** Another process may take a free port before it is used; then another port is tried. */
async function startOnFreePort(options: {
  binaries: string;
  folder: string;
  account: Account;
  own: Settings;
}): Promise<number> {
  const { binaries, folder, account, own } = options;
  const log = join(folder, 'server.log');
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = [
      '-D',
      join(folder, 'data'),
      '-l',
      log,
      '-w',
      '-t',
      String(START_TIMEOUT_S),
      '-o',
      settings(folder, port, own),
    ];
    try {
      await run(join(binaries, 'pg_ctl'), [...args, 'start'], { ...account, cwd: folder });
      return port;
    } catch (error) {
      if (attempt < PORT_ATTEMPTS) continue;
      const said = await readFile(log, 'utf8').catch(() => 'it left no log');
      throw new Error(`The private PostgreSQL of the tests did not start: ${said.slice(-2000)}. ${TO_DO}`, {
        cause: error,
      });
    }
  }
}

/** Speed over durability: the data is only needed during the test run. */
function settings(folder: string, port: number, own: Settings): string {
  const values: Settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // Compiling a query takes longer than running it on the few rows of a test.
    jit: 'off',
    max_connections: '300',
    max_wal_size: '1GB',
    ...own,
  };
  return Object.entries(values)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.');
  return address.port;
}

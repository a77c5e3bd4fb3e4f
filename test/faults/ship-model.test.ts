import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Selectable } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '../../src/app/data-source.ts';
import { ship } from '../../src/app/shipping/ship.ts';
import { readGeneration } from '../../src/archive/archive-bytes.ts';
import { archiveChange } from '../../src/archive/archive-file.ts';
import { type ArchiveDeps, findChanges } from '../../src/archive/find-changes.ts';
import { loadConfig } from '../../src/config.ts';
import type { BlobStore } from '../../src/domain/ports.ts';
import type { Engine } from '../../src/store/engine.ts';
import { migrate } from '../../src/store/migrate.ts';
import { loadDeviceFiles, loadGeneration, markGone } from '../../src/store/queries/archive/archive.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { storeRepositoryActivity } from '../../src/store/queries/git/git-activity.ts';
import { countGitToShip } from '../../src/store/queries/shipping/git-shipments.ts';
import { countShipments } from '../../src/store/queries/shipping/shipments.ts';
import type { Database } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { createMemoryBlobs } from '../support/memory-blobs.ts';
import { fetchFrom, isOfGit, SERVER_URL, TOKEN } from '../support/ship-pair.ts';
import { silentJournal } from '../support/silent-journal.ts';
import { size as sizeOf } from '../support/sizes.ts';

/**
 * A model of shipping (M22): any history of a file and a repository, with scans and rounds of shipping over a network that
 * loses requests, loses responses, and delivers requests twice or late. In the end the server has what the device has, and
 * it keeps what it once acknowledged.
 */
const CHUNK_BYTES = 1_000;
let deviceEngine: Engine;
let serverEngine: Engine;
let root = '';
let number = 0;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-ship-model-'));
  [deviceEngine, serverEngine] = [openSqlite(':memory:'), openSqlite(':memory:')];
  await migrate(deviceEngine);
  await migrate(serverEngine);
});
afterAll(async () => {
  await deviceEngine.close();
  await serverEngine.close();
  rmSync(root, { recursive: true });
});

/** What the network does with one request. */
const FAULTS = ['none', 'lose_request', 'lose_reply', 'twice', 'again_later'] as const;
type Fault = (typeof FAULTS)[number];

type Act =
  | { readonly kind: 'append' | 'rewrite'; readonly size: number }
  | { readonly kind: 'delete' | 'scan' | 'forget' }
  /** A commit is read: for the first time, again, with more or fewer known facts, or under another remote. */
  | { readonly kind: 'commit'; readonly name: number; readonly isRich: boolean; readonly remote: string }
  /** The file is reverted to an earlier version. */
  | { readonly kind: 'revert' }
  /** The device's database was lost, or restored from a backup that knows too much: its generations start at one again. */
  | { readonly kind: 'start_over'; readonly remembers: boolean }
  /** The server's database was restored from a backup that is too old. */
  | { readonly kind: 'server_forgets' }
  | { readonly kind: 'ship'; readonly faults: readonly Fault[] };

const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 900, max: 4_000 }));
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), size }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), size }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'delete' as const }, { kind: 'forget' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('start_over' as const), remembers: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'revert' as const }, { kind: 'server_forgets' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      name: fc.nat({ max: 3 }),
      isRich: fc.boolean(),
      remote: fc.constantFrom('github.com/ada/shop', 'github.com/ada/ledger'),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'scan' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ship' as const),
      faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 6 }),
    }),
  },
);

/** Wraps the server: mutants respond differently. */
type ServerWrapper = (server: typeof fetch) => typeof fetch;
const unchanged: ServerWrapper = (server) => server;

/** This model reads nothing through the API. */
const NO_DATA = {} as DataSource;
const journal = silentJournal;

const NO_FIGURES = { filesChanged: null, insertions: null, deletions: null };

type ShipmentRow = Selectable<Database['shipments']>;

async function forget({ kysely }: Engine, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const table of ['shipments', 'segments', 'generations'] as const)
    await kysely
      .deleteFrom(table)
      .where('source_file_id', 'in', [...ids])
      .execute();
  await kysely
    .deleteFrom('source_files')
    .where('id', 'in', [...ids])
    .execute();
}

class World {
  readonly #id = `device-${number++}`;
  readonly #home = join(root, this.#id);
  // E16: a session belongs to one device, and all devices share a server here.
  readonly #sessionId = `${String(number).padStart(8, '0')}-2222-4333-8444-555555555555`;
  readonly #path = join(this.#home, `projects/-p/${this.#sessionId}.jsonl`);
  readonly #device = { id: this.#id, name: 'd', hostname: 'd', os: 'linux', arch: 'x64' };
  readonly #blobs = createMemoryBlobs();
  readonly #serverBlobs = createMemoryBlobs();
  readonly #fetch: typeof fetch;
  #nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  #seed = 1;
  #former: Buffer | null = null;
  #hasServerForgotten = false;
  #remembered: ShipmentRow[] = [];
  /** A delayed request, delivered after a later one. */
  #late: (() => Promise<unknown>) | null = null;
  readonly #acknowledged = new Map<string, Buffer>();

  constructor(wrap: ServerWrapper) {
    mkdirSync(join(this.#home, 'projects/-p'), { recursive: true });
    const server = {
      store: { engine: serverEngine },
      blobs: this.#serverBlobs,
      journal,
      device: { ...this.#device, id: 'server' },
    };
    const refuse = () => Promise.reject(new Error('nothing is parsed or shared here'));
    const unused = { openPipeline: refuse, openSharing: refuse, purgeDeleted: refuse };
    this.#fetch = wrap(fetchFrom({ ...server, ...NO_DATA, ...unused, config: loadConfig({}).config }));
  }

  async run(acts: readonly Act[]): Promise<void> {
    await saveDevice(deviceEngine.kysely, this.#device, new Date(this.#nowMs).toISOString());
    for (const step of acts) await this.#step(step);
    // Data that a server acknowledged and then lost is not sent again automatically: a person has to request it.
    if (this.#hasServerForgotten) await this.#step({ kind: 'forget' });
    // The network works again, and the client is done.
    for (const last of [{ kind: 'scan' }, { kind: 'scan' }, { kind: 'ship', faults: [] }] as const)
      await this.#step(last);
    const route = { server: SERVER_URL, deviceId: this.#id };
    expect(await countShipments(deviceEngine.kysely, route), 'everything has arrived').toEqual({
      waiting: 0,
      refused: 0,
    });
    expect(await countGitToShip(deviceEngine.kysely, route), 'git as well').toBe(0);
    await this.#expectTheSame();
    await this.#expectTheSameGit();
  }

  async #step(step: Act): Promise<void> {
    this.#nowMs += 3_600_000;
    if (step.kind === 'scan') await this.#scan();
    else if (step.kind === 'ship') await this.#ship([...step.faults]);
    else if (step.kind === 'commit') await this.#commit(step);
    else if (step.kind === 'forget') await this.#forgetShipments();
    else if (step.kind === 'start_over') await this.#startOver(step.remembers);
    else if (step.kind === 'server_forgets') await this.#serverForgets();
    else this.#touch(step);
    if (step.kind === 'ship') await this.#expectKept();
  }

  async #commit({ name, isRich, remote }: Extract<Act, { kind: 'commit' }>): Promise<void> {
    const sha = String(name).repeat(40);
    const figures = isRich ? { filesChanged: 1, insertions: 2, deletions: 3 } : NO_FIGURES;
    const known = { branch: 'main', message: `commit ${name}`, folder: isRich ? '/r' : null, worktreeName: null };
    const activity = { kind: 'commit' as const, key: sha, sha, sequence: 0, at: '2026-01-01T10:00:00.000Z', data: {} };
    const workspace = { canonicalId: remote, displayName: remote };
    const repository = { workspace, activities: [{ ...activity, ...known, ...figures }] };
    await storeRepositoryActivity(deviceEngine, { deviceId: this.#id, repository }, this.#clock.now().toISOString());
  }

  async #forgetShipments(): Promise<void> {
    for (const table of ['shipments', 'git_shipments'] as const) await deviceEngine.kysely.deleteFrom(table).execute();
  }

  async #gitOf({ kysely }: Engine) {
    const columns = ['id', 'workspace_id', 'branch', 'message', 'files_changed', 'insertions', 'folder'] as const;
    return kysely.selectFrom('git_activity').select(columns).where('device_id', '=', this.#id).orderBy('id').execute();
  }

  async #expectTheSameGit(): Promise<void> {
    const theirs = await this.#gitOf(serverEngine);
    for (const ours of await this.#gitOf(deviceEngine)) {
      const same = theirs.find(({ id }) => id === ours.id);
      // A device that started over may know less than it once reported.
      const told = Object.entries(ours).filter(([, value]) => value !== null);
      expect(same, 'the server knows of the commit all that the device does').toMatchObject(Object.fromEntries(told));
    }
  }

  #touch(step: Act): void {
    const before = existsSync(this.#path) ? readFileSync(this.#path) : null;
    if (step.kind === 'delete') return rmSync(this.#path, { force: true });
    if (step.kind === 'append') appendFileSync(this.#path, this.#bytes(step.size));
    else if (step.kind === 'rewrite') writeFileSync(this.#path, this.#bytes(step.size));
    else if (this.#former !== null) writeFileSync(this.#path, this.#former);
    else return;
    if (step.kind !== 'append') this.#former = before;
    utimesSync(this.#path, this.#nowMs / 1_000, this.#nowMs / 1_000);
  }

  #bytes(length: number): Buffer {
    const next = () => (this.#seed = (this.#seed * 48_271) % 2_147_483_647);
    return Buffer.from(Array.from({ length }, () => 97 + (next() % 26)));
  }

  async #startOver(remembers: boolean): Promise<void> {
    const files = await loadDeviceFiles(deviceEngine.kysely, this.#id);
    const ids = files.map(({ id }) => id);
    if (ids.length === 0) return;
    const shipments = deviceEngine.kysely.selectFrom('shipments').selectAll().where('source_file_id', 'in', ids);
    this.#remembered = remembers ? await shipments.execute() : [];
    await forget(deviceEngine, ids);
    await this.#forgetGit(deviceEngine);
  }

  async #forgetGit({ kysely }: Engine): Promise<void> {
    const rows = kysely.selectFrom('git_activity').select('id').where('device_id', '=', this.#id);
    await kysely.deleteFrom('git_shipments').where('item_id', 'in', rows).execute();
    await kysely.deleteFrom('git_activity').where('device_id', '=', this.#id).execute();
  }

  /** The device restores its shipment records, although the generations now have different bytes. */
  async #remember(): Promise<void> {
    const { kysely } = deviceEngine;
    for (const row of this.#remembered) {
      const known = await loadGeneration(kysely, row.source_file_id, row.generation);
      if (known === null) continue;
      const values = { ...row, shipped_bytes: Math.min(row.shipped_bytes ?? 0, known.sizeBytes), told_sha256: null };
      await kysely.insertInto('shipments').values(values).execute();
    }
    this.#remembered = [];
  }

  async #serverForgets(): Promise<void> {
    const files = await loadDeviceFiles(serverEngine.kysely, this.#id);
    await forget(
      serverEngine,
      files.map(({ id }) => id),
    );
    await this.#forgetGit(serverEngine);
    this.#acknowledged.clear();
    this.#hasServerForgotten = true;
  }

  get #clock() {
    return { now: () => new Date(this.#nowMs), monotonicMs: () => this.#nowMs };
  }

  async #scan(): Promise<void> {
    const deps: ArchiveDeps = {
      engine: deviceEngine,
      blobs: this.#blobs,
      journal,
      clock: this.#clock,
      device: this.#device,
      roots: () => [this.#home],
      ignoresProject: () => false,
    };
    const { changed, gone } = await findChanges(deps);
    for (const change of changed) await archiveChange(deps, change, () => {});
    await this.#remember();
    await markGone(
      deviceEngine.kysely,
      gone.map(({ id }) => id),
      this.#clock.now().toISOString(),
    );
  }

  async #ship(faults: Fault[]): Promise<void> {
    const network: typeof fetch = async (input, init) => {
      const fault = faults.shift() ?? 'none';
      const send = async () => this.#fetch(input, init);
      if (fault === 'lose_request') throw new TypeError('the request was lost');
      const late = this.#late;
      this.#late = fault === 'again_later' ? send : null;
      if (fault === 'twice') await send();
      const reply = await send();
      await late?.();
      if (fault === 'lose_reply') throw new TypeError('the answer was lost');
      return reply;
    };
    await ship({
      engine: deviceEngine,
      blobs: this.#blobs,
      clock: this.#clock,
      device: this.#device,
      signal: new AbortController().signal,
      server: { url: SERVER_URL, token: TOKEN },
      fetch: network,
      random: () => 0,
      chunkBytes: CHUNK_BYTES,
    });
  }

  async #generations(engine: Engine, blobs: BlobStore): Promise<{ key: string; isCurrent: boolean; bytes: Buffer }[]> {
    const rows = await engine.kysely
      .selectFrom('generations as g')
      .innerJoin('source_files as f', 'f.id', 'g.source_file_id')
      .select(['f.id', 'g.number', 'f.generation', 'g.size_bytes'])
      .where('f.device_id', '=', this.#id)
      .execute();
    const read = rows.map(async ({ id, number: generation, generation: current, size_bytes }) => {
      const bytes = Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs }, { id, generation })));
      expect(bytes.length, 'no byte is there twice').toBe(size_bytes);
      return { key: `${id} ${generation}`, isCurrent: generation === current, bytes };
    });
    return Promise.all(read);
  }

  async #expectKept(): Promise<void> {
    const now = new Map(
      (await this.#generations(serverEngine, this.#serverBlobs)).map(({ key, bytes }) => [key, bytes]),
    );
    for (const [key, bytes] of this.#acknowledged)
      expect(now.get(key)?.subarray(0, bytes.length).equals(bytes), 'what the server had it keeps').toBe(true);
    for (const [key, bytes] of now) this.#acknowledged.set(key, bytes);
  }

  async #expectTheSame(): Promise<void> {
    const ours = await this.#generations(deviceEngine, this.#blobs);
    const theirs = await this.#generations(serverEngine, this.#serverBlobs);
    for (const { bytes } of ours)
      expect(
        theirs.some((one) => one.bytes.equals(bytes)),
        'every generation is on the server',
      ).toBe(true);
    const [mine] = ours.filter(({ isCurrent }) => isCurrent);
    const [current] = theirs.filter(({ isCurrent }) => isCurrent);
    if (mine) expect(current?.bytes.equals(mine.bytes), 'and the newest is the newest there').toBe(true);
    if (existsSync(this.#path) && mine && readFileSync(this.#path).length > 0)
      expect(current?.bytes.equals(readFileSync(this.#path)), 'byte for byte as the file').toBe(true);
  }
}

const histories = fc.array(act, { minLength: 3, maxLength: 20 });
const expectToHold = (wrap: ServerWrapper, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(histories, (acts) => new World(wrap).run(acts)),
    { numRuns, endOnFailure: true },
  );

function uploadOf(init: RequestInit | undefined) {
  const header = new Headers(init?.headers).get('fuel-upload') ?? '{}';
  return JSON.parse(header) as { device: { id: string }; generation: { number: number; size_bytes: number } };
}

describe('shipping with any history and any network', () => {
  it('E1-E7, M22: the server ends with the same bytes as the device', async () => {
    await expectToHold(unchanged, sizeOf('FUZZ_RUNS', 60));
  });

  it('the model fails if every known file counts as uploaded', async () => {
    const seen = new Set<string>();
    const alreadyUploaded: ServerWrapper = (server) => async (input, init) => {
      const { device, generation } = uploadOf(init);
      if (!seen.has(device.id)) {
        seen.add(device.id);
        return server(input, init);
      }
      return Response.json({ status: 'already_uploaded', size_bytes: generation.size_bytes });
    };
    await expect(expectToHold(alreadyUploaded, 500)).rejects.toThrow(/Property failed/);
  });

  it('the model fails if the server stores git reports only once', async () => {
    const heard = new Set<string>();
    const forgetful: ServerWrapper = (server) => async (input, init) => {
      if (!isOfGit(input)) return server(input, init);
      const { items } = JSON.parse(init?.body as string) as { items: { id: string }[] };
      const fresh = items.filter(({ id }) => !heard.has(id));
      for (const { id } of items) heard.add(id);
      if (fresh.length === items.length) return server(input, init);
      return Response.json({ results: items.map(({ id }) => ({ id, status: 'accepted' })) });
    };
    await expect(expectToHold(forgetful, 500)).rejects.toThrow(/Property failed/);
  });

  it('the model fails if 409 and 412 are ignored', async () => {
    const withoutConflicts: ServerWrapper = (server) => async (input, init) => {
      const reply = await server(input, init);
      if (reply.status !== 409 && reply.status !== 412) return reply;
      return Response.json({ status: 'uploaded', size_bytes: uploadOf(init).generation.size_bytes });
    };
    await expect(expectToHold(withoutConflicts, 500)).rejects.toThrow(/Property failed/);
  });
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGeneration } from '../../src/archive/archive-bytes.ts';
import { archiveChange } from '../../src/archive/archive-file.ts';
import { type ArchiveDeps, type ChangedFile, findChanges } from '../../src/archive/find-changes.ts';
import type { Engine } from '../../src/store/engine.ts';
import { migrate } from '../../src/store/migrate.ts';
import { loadDeviceFiles, markGone, type SourceFile, saveFileStat } from '../../src/store/queries/archive/archive.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { createMemoryBlobs } from '../support/memory-blobs.ts';
import { silentJournal } from '../support/silent-journal.ts';
import { size as sizeOf } from '../support/sizes.ts';

/**
 * A model of the append-aware archive: any history of changes by the client and its user to a file, with scans and crashes
 * in between. Bytes reported as captured must be stored, and must stay.
 */
const WINDOW = 4_096;
const DEVICE = { id: 'd', name: 'd', hostname: 'd', os: 'linux', arch: 'x64' };
let engine: Engine;
let root = '';
let number = 0;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-model-'));
  engine = openSqlite(':memory:');
  await migrate(engine);
});
afterAll(async () => {
  await engine.close();
  rmSync(root, { recursive: true });
});

type Act =
  | { readonly kind: 'append'; readonly size: number; readonly ends: boolean }
  | { readonly kind: 'truncate'; readonly share: number }
  | { readonly kind: 'flip'; readonly share: number }
  | { readonly kind: 'rewrite'; readonly size: number }
  | { readonly kind: 'replace'; readonly size: number }
  | { readonly kind: 'move' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'scan'; readonly crash: boolean }
  | { readonly kind: 'rest' };

const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: WINDOW - 50, max: 4 * WINDOW }));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), size, ends: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), share }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flip' as const), share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), size }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), size }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'move' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'delete' as const }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('scan' as const), crash: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'rest' as const }) },
);

/** How a scan archives one changed file; mutants do it differently. */
type Archive = (deps: ArchiveDeps, change: ChangedFile) => Promise<unknown>;
const unchanged: Archive = (deps, change) => archiveChange(deps, change, () => {});

class World {
  readonly blobs = createMemoryBlobs();
  readonly device = { ...DEVICE, id: `d${number}` };
  readonly home = join(root, `home-${number++}`);
  readonly #archive: Archive;
  #folder = 0;
  #nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  #seed = 1;
  /** Bytes that a generation had at some scan, by file and number. */
  readonly #acknowledged = new Map<string, { readonly file: SourceFile; readonly bytes: Buffer }[]>();

  constructor(archive: Archive) {
    this.#archive = archive;
    mkdirSync(this.#dir(), { recursive: true });
  }

  #dir = () => join(this.home, `projects/-p${this.#folder}`);
  #path = () => join(this.#dir(), '11111111-2222-4333-8444-555555555555.jsonl');

  async run(acts: readonly Act[]): Promise<void> {
    // Worlds share the store but not the archive: their files must not be taken for moved ones.
    await saveDevice(engine.kysely, this.device, '2026-01-01T00:00:00.000Z');
    for (const step of acts) await this.#step(step);
    // The client is done: after two scans without changes, everything must be in order.
    for (const rest of [{ kind: 'rest' }, { kind: 'scan', crash: false }, { kind: 'scan', crash: false }] as const)
      await this.#step(rest);
    const current = (await this.#known()).find(({ path }) => `${this.home}/${path}` === this.#path());
    if (!existsSync(this.#path()) || readFileSync(this.#path()).length === 0) return;
    expect(current?.state, 'a quiet file is captured').toBe('captured');
  }

  async #step(step: Act): Promise<void> {
    this.#nowMs += 10;
    if (step.kind === 'rest') this.#nowMs += 120_000;
    else if (step.kind === 'scan') await this.#scan(step.crash);
    else this.#touch(step);
    if (step.kind === 'scan') await this.#check();
  }

  #touch(step: Exclude<Act, { kind: 'scan' | 'rest' }>): void {
    const path = this.#path();
    const before = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    if (step.kind === 'append') appendFileSync(path, this.#bytes(step.size, step.ends));
    else if (step.kind === 'rewrite') writeFileSync(path, this.#bytes(step.size, true));
    else if (step.kind === 'delete') rmSync(path, { force: true });
    else if (step.kind === 'replace') {
      writeFileSync(`${path}.tmp`, this.#bytes(step.size, true));
      renameSync(`${path}.tmp`, path);
    } else if (step.kind === 'move') this.#move(path, before.length > 0);
    else if (before.length > 0 && step.kind === 'truncate') truncateSync(path, Math.floor(before.length * step.share));
    else if (before.length > 0 && step.kind === 'flip') {
      const at = Math.min(before.length - 1, Math.floor(before.length * step.share));
      before[at] = (before[at] ?? 0) ^ 1;
      writeFileSync(path, before);
    }
    if (existsSync(this.#path())) utimesSync(this.#path(), this.#nowMs / 1_000, this.#nowMs / 1_000);
  }

  #move(path: string, exists: boolean): void {
    this.#folder++;
    mkdirSync(this.#dir(), { recursive: true });
    if (exists) renameSync(path, this.#path());
  }

  #bytes(length: number, ends: boolean): Buffer {
    const text = Array.from({ length }, () =>
      String.fromCharCode(97 + ((this.#seed = (this.#seed * 48_271) % 2_147_483_647) % 26)),
    );
    return Buffer.from(text.join('') + (ends ? '\n' : ''));
  }

  get #deps(): ArchiveDeps {
    const clock = { now: () => new Date(this.#nowMs), monotonicMs: () => this.#nowMs };
    const journal = silentJournal;
    return {
      engine,
      blobs: this.blobs,
      journal,
      clock,
      device: this.device,
      roots: () => [this.home],
      ignoresProject: () => false,
    };
  }

  async #scan(crash: boolean): Promise<void> {
    this.blobs.failNext = crash;
    const { changed, gone } = await findChanges(this.#deps);
    for (const change of changed)
      await this.#archive(this.#deps, change).catch((error) => expect(String(error)).toContain('killed'));
    await markGone(
      engine.kysely,
      gone.map(({ id }) => id),
      this.#deps.clock.now().toISOString(),
    );
    this.blobs.failNext = false;
  }

  async #known(): Promise<SourceFile[]> {
    return [...(await loadDeviceFiles(engine.kysely, this.device.id))];
  }

  async #check(): Promise<void> {
    for (const file of await this.#known()) {
      const bytes = Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs: this.blobs }, file)));
      const onDisk = join(this.home, file.path);
      // Nothing has been reported yet about a file that has changed since.
      const isSeen = existsSync(onDisk) && Math.trunc(statSync(onDisk).mtimeMs) === file.seenMtimeMs;
      if (file.state === 'captured' && isSeen)
        expect(bytes.equals(readFileSync(onDisk)), 'captured is said of what the file holds').toBe(true);
      const key = `${file.id} ${file.generation}`;
      this.#acknowledged.set(key, [...(this.#acknowledged.get(key) ?? []), { file, bytes }]);
    }
    for (const [, scans] of this.#acknowledged) {
      const last = scans.at(-1);
      if (last === undefined) continue;
      const now = Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs: this.blobs }, last.file)));
      for (const { bytes } of scans)
        expect(now.subarray(0, bytes.length).equals(bytes), 'what was archived stays').toBe(true);
    }
  }
}

const histories = fc.array(act, { minLength: 2, maxLength: 14 });
const expectToHold = (archive: Archive, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(histories, (acts) => new World(archive).run(acts)),
    { numRuns, endOnFailure: true },
  );

const HISTORIES = sizeOf('FUZZ_RUNS', 100);

describe('the archive with any history of a file', () => {
  it('C1-C9, C26: captures exactly what the file contained, and keeps what was archived', async () => {
    await expectToHold(unchanged, HISTORIES);
  });

  it('the model fails without a comparison of the whole file after an append', async () => {
    const trusting: Archive = async (deps, change) => {
      await unchanged(deps, change);
      const file = (await loadDeviceFiles(engine.kysely, deps.device.id)).find(({ path }) => path === change.file.path);
      if (file) await saveFileStat(engine.kysely, file, { ...change.file, state: 'captured', sha256: null });
    };
    await expect(expectToHold(trusting, 2_000)).rejects.toThrow(/Property failed/);
  });

  it('the model fails without generations', async () => {
    const forgetful: Archive = async (deps, change) => {
      if (change.known !== null && change.known.archivedBytes >= change.file.sizeBytes) {
        await engine.kysely.deleteFrom('segments').where('source_file_id', '=', change.known.id).execute();
      }
      await unchanged(deps, change);
    };
    await expect(expectToHold(forgetful, 2_000)).rejects.toThrow(/Property failed/);
  });

  it('the model fails if a known file is never read again', async () => {
    const alreadyUploaded: Archive = async (deps, change) => {
      if (change.known === null) await unchanged(deps, change);
    };
    await expect(expectToHold(alreadyUploaded, 2_000)).rejects.toThrow(/Property failed/);
  });
});

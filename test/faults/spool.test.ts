import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_AGE_DAYS, MAX_DEAD_LETTER_BYTES } from '../../src/capture/spool/dead-letters.ts';
import { MAX_ENTRY_BYTES, MAX_SPOOL_BYTES, openSpool } from '../../src/capture/spool/spool.ts';
import type { Rejection } from '../../src/domain/event.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { OLD_TEMPORARY_MS } from '../../src/lib/private-file.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { isRoot, whyNot } from '../support/hook-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const BAD: Rejection = { reason: 'not_json', detail: 'It begins with "x".' };
const DAY_MS = 24 * 60 * 60 * 1_000;

let home = '';
let nowMs = Date.now();
const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => performance.now() };
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-spool-'));
  nowMs = Date.now();
});
afterEach(() => rmSync(home, { recursive: true }));

const inSpool = (name: string) => join(home, 'spool', name);
const inDeadLetter = (name: string) => join(home, 'dead-letter', name);
const nameOf = (n: number) => `${1_790_000_000_000 + n}-1-1.json`;

function put(name: string, content: string | Uint8Array = '{}'): void {
  mkdirSync(join(home, 'spool'), { recursive: true, mode: 0o700 });
  writeFileSync(inSpool(name), content, { mode: 0o600 });
}

const open = () => openSpool(home, clock);
const ids = () =>
  open()
    .entries()
    .map(({ id }) => id);

describe('the spool', () => {
  it('returns entries in order of time, whatever their names', () => {
    put('1790000000001-99-1.json');
    put('1790000000000-200-1.json');
    put('1790000000000-31-1.json');
    utimesSync(inSpool('1790000000000-200-1.json'), 10, 10);
    utimesSync(inSpool('1790000000000-31-1.json'), 20, 20);
    expect(ids()).toEqual(['1790000000000-200-1', '1790000000000-31-1', '1790000000001-99-1']);
  });

  it('uses the time of the file if the hook had no clock', () => {
    put('0000000000000-5-1.json');
    utimesSync(inSpool('0000000000000-5-1.json'), 1_000, 1_000);
    expect(open().entries()).toMatchObject([{ id: '0000000000000-5-1', atMs: 1_000_000 }]);
  });

  it('A18: does not depend on a clock that jumps', () => {
    for (const at of ['0000000000001', '1790000000000', '9999999999999']) put(`${at}-1-1.json`);
    for (const jump of [-1_000 * DAY_MS, 1_000 * DAY_MS]) {
      nowMs += jump;
      expect(ids()).toHaveLength(3);
    }
  });

  it('forgets finished entries, and returns null for them afterwards', () => {
    put(nameOf(1), 'payload');
    const [first, second] = [open(), open()];
    const [entry] = second.entries();
    if (entry === undefined) throw new Error('no entry');
    expect(Buffer.from(first.read(entry) ?? []).toString()).toBe('payload');
    first.done(entry);
    first.done(entry);
    expect(second.read(entry)).toBeNull();
    second.reject(entry, BAD);
    expect(second.deadLetters()).toEqual([]);
  });

  it('reads at most 64 KiB of an entry', () => {
    put(nameOf(1), Buffer.alloc(MAX_ENTRY_BYTES * 2));
    const spool = open();
    expect(spool.entries().map((entry) => spool.read(entry)?.length)).toEqual([MAX_ENTRY_BYTES]);
  });

  it('B1: ignores unfinished files and removes them after an hour', () => {
    put('.t.4711-12', '{"half":');
    expect(ids()).toEqual([]);
    expect(existsSync(inSpool('.t.4711-12'))).toBe(true);
    nowMs += OLD_TEMPORARY_MS + 1_000;
    expect(ids()).toEqual([]);
    expect(existsSync(inSpool('.t.4711-12'))).toBe(false);
  });

  it('B2: a vanished entry is skipped', async () => {
    using claude = createClaudeHome();
    const id = '11111111-2222-4333-8444-555555555555';
    const transcript_path = claude.write(`-w/${id}.jsonl`, [createTalk(id).user('Hello.')]);
    const [embedded] = PROGRAMS;
    await using program = await embedded?.create(claude.path);
    const spooled = join(program?.config.home ?? '', 'spool');
    mkdirSync(spooled, { mode: 0o700 });
    const payload = JSON.stringify({ session_id: id, hook_event_name: 'SessionEnd', transcript_path });
    writeFileSync(join(spooled, nameOf(1)), payload, { mode: 0o600 });
    // As after a crash before the folder was synced.
    rmSync(join(spooled, nameOf(1)));
    await using app = await program?.open();
    await app?.drainHooks();
    await app?.importNew();
    expect((await app?.get('/sessions', { query: { limit: 10 } }))?.sessions).toMatchObject([{ id, user_messages: 1 }]);
  });

  it('B3: an entry stays in place if its dead letter cannot be written', async ({ skip }) => {
    put(nameOf(1), 'x'.repeat(20_000));
    const spool = open();
    const [entry] = spool.entries();
    if (entry === undefined) throw new Error('no entry');
    mkdirSync(join(home, 'dead-letter'), { mode: 0o700 });
    const refused = await whyNot('mount', '-t', 'tmpfs', '-o', 'size=4k,mode=0700', 'tmpfs', join(home, 'dead-letter'));
    if (refused !== null) {
      rmSync(join(home, 'dead-letter'), { recursive: true });
      writeFileSync(join(home, 'dead-letter'), '');
    }
    try {
      expect(() => spool.reject(entry, BAD)).toThrow(/ENOSPC|EEXIST|ENOTDIR|not a folder/);
      if (refused === null) expect(readdirSync(join(home, 'dead-letter'))).toEqual([]);
    } finally {
      if (refused === null) spawnSync('umount', [join(home, 'dead-letter')]);
    }
    expect(readdirSync(join(home, 'spool'))).toContain(nameOf(1));
    skip(refused !== null, `tested with a file in place of the folder instead of a full disk: ${refused}`);
  });

  it('B10: stays within 50 MB by dropping and counting the oldest', () => {
    const size = 1024 * 1024;
    const most = MAX_SPOOL_BYTES / size;
    for (let n = 0; n < most + 3; n++) put(nameOf(n), Buffer.alloc(size));
    expect(ids()[0]).toBe(nameOf(3).replace('.json', ''));
    expect(open().stats()).toMatchObject({ entries: most, bytes: MAX_SPOOL_BYTES, dropped: 3 });
    expect(ids()).toHaveLength(most);
  });

  it('B10: has room for ten thousand sessions in a month without a worker', () => {
    for (let n = 0; n < 10_000; n++) put(nameOf(n), '{"session_id":"s","hook_event_name":"SessionEnd"}');
    expect(ids()).toHaveLength(10_000);
    expect(open().stats().dropped).toBe(0);
  });

  it('B11: neither reads nor writes through a link', () => {
    const victim = join(home, 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, nameOf(1)), 'theirs');
    symlinkSync(victim, join(home, 'spool'));
    expect(open).toThrow(/is a symbolic link\. For safety, fuel-code does not use it/);
    expect(readdirSync(victim)).toEqual([nameOf(1)]);
  });

  it('B11: detects a link that replaces it later', () => {
    const spool = open();
    const victim = join(home, 'victim');
    mkdirSync(victim);
    rmSync(join(home, 'spool'), { recursive: true });
    symlinkSync(victim, join(home, 'spool'));
    expect(() => spool.entries()).toThrow(/symbolic link/);
  });

  it('B11: rejects a folder of another user and a file', ({ skip }) => {
    writeFileSync(join(home, 'spool'), '');
    expect(open).toThrow(/is not a folder/);
    rmSync(join(home, 'spool'));
    mkdirSync(join(home, 'spool'), { mode: 0o700 });
    skip(!isRoot, 'only root can give a folder away');
    chownSync(join(home, 'spool'), 65_534, 65_534);
    expect(open).toThrow(/belongs to another user/);
  });

  it('B11: makes a folder private that was open to all, and says so', () => {
    put(nameOf(1));
    chmodSync(join(home, 'spool'), 0o777);
    expect(open().stats().was_open).toBe(true);
    expect(lstatSync(join(home, 'spool')).mode & 0o777).toBe(0o700);
    expect(open().stats().was_open).toBe(false);
  });

  it('B11: ignores links and files of other users inside', () => {
    const secret = join(home, 'secret');
    writeFileSync(secret, 'secret');
    put(nameOf(1));
    symlinkSync(secret, inSpool(nameOf(2)));
    mkdirSync(inSpool(nameOf(3)));
    if (isRoot) {
      put(nameOf(4));
      chownSync(inSpool(nameOf(4)), 65_534, 65_534);
    }
    expect(ids()).toEqual([nameOf(1).replace('.json', '')]);
    expect(open().stats().unknown).toBe(isRoot ? 3 : 2);
  });

  it('B14: leaves entries of a newer fuel-code alone', () => {
    const newer = ['1790000000000-1-1.v2.json', '1790000000000-1-1.cbor', 'v2-01JD', '17900000000000-1-1.json'];
    for (const name of newer) put(name, 'of the future');
    expect(ids()).toEqual([]);
    expect(open().stats().unknown).toBe(newer.length);
    expect(readdirSync(join(home, 'spool')).sort()).toEqual(newer.sort());
  });

  it.each([0o000, 0o022, 0o777])('B15: with umask %i folders are 0700 and files 0600', (umask) => {
    // As a hook leaves it; an umask of 0777 would lock out the test itself.
    put(nameOf(1));
    const before = process.umask(umask);
    try {
      const spool = open();
      for (const entry of spool.entries()) spool.reject(entry, BAD);
      spool.retry(nameOf(1).replace('.json', ''));
    } finally {
      process.umask(before);
    }
    const modes = readdirSync(home, { recursive: true }).map(
      (name) => lstatSync(join(home, String(name))).mode & 0o777,
    );
    expect(modes.toSorted()).toEqual([0o600, 0o600, 0o700, 0o700]);
  });
});

describe('dead letters', () => {
  function reject(name: string, content: string | Uint8Array = 'x'): string {
    put(name, content);
    const spool = open();
    for (const entry of spool.entries()) spool.reject(entry, BAD);
    return name.replace('.json', '');
  }

  it('B6: keep their reason, time, attempts and every byte', () => {
    const bytes = Buffer.from([0, 255, 254, 10, 123]);
    const id = reject(nameOf(1), bytes);
    expect(open().deadLetters()).toEqual([
      { id, ...BAD, rejected_at: new Date(nowMs).toISOString(), attempts: 1, size_bytes: bytes.length },
    ]);
    expect(open().retry(id)).toBe(true);
    expect(readFileSync(inSpool(nameOf(1))).equals(bytes)).toBe(true);
  });

  it('B6: keep any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (bytes) => {
        const id = reject(nameOf(1), bytes);
        open().retry(id);
        expect([...readFileSync(inSpool(nameOf(1)))]).toEqual([...bytes]);
      }),
      { numRuns: 50 },
    );
  });

  it('B13: keep their time of arrival, even if only the file has it', () => {
    const name = '0000000000000-0000000001-12.json';
    put(name, 'x');
    const at = new Date('2026-11-01T10:00:00.000Z');
    utimesSync(inSpool(name), at, at);
    const spool = open();
    for (const entry of spool.entries()) spool.reject(entry, BAD);
    open().retry(name.replace('.json', ''));
    expect(open().entries()).toMatchObject([{ atMs: at.getTime() }]);
  });

  it('B13: count attempts across retries, and disappear when one succeeds', () => {
    const id = reject(nameOf(1));
    for (const attempts of [2, 3]) {
      expect(open().retry(id)).toBe(true);
      expect(open().deadLetters()).toEqual([]);
      const spool = open();
      for (const entry of spool.entries()) spool.reject(entry, BAD);
      expect(open().deadLetters()).toMatchObject([{ id, attempts }]);
    }
    open().retry(id);
    const spool = open();
    for (const entry of spool.entries()) spool.done(entry);
    expect(open().stats()).toMatchObject({ entries: 0, dead_letters: 0 });
  });

  it('B13: are dropped only by id', () => {
    const id = reject(nameOf(1));
    writeFileSync(join(home, 'precious.json'), 'mine');
    for (const forged of ['../precious', '', '*', '1-1-1', `../dead-letter/${id}`]) {
      expect(open().drop(forged)).toBe(false);
      expect(open().retry(forged)).toBe(false);
    }
    expect(open().drop(id)).toBe(true);
    expect(open().drop(id)).toBe(false);
    expect(existsSync(join(home, 'precious.json'))).toBe(true);
  });

  it('B13: do not stay longer than 90 days', () => {
    reject(nameOf(1));
    nowMs += (MAX_AGE_DAYS + 1) * DAY_MS;
    expect(open().stats()).toMatchObject({ dead_letters: 0, dead_letters_dropped: 1 });
  });

  it('B13: keep the newest within 100 MB', () => {
    reject(nameOf(0));
    const size = 1024 * 1024;
    const most = MAX_DEAD_LETTER_BYTES / size;
    for (let n = 1; n <= most; n++) {
      writeFileSync(inDeadLetter(nameOf(n)), Buffer.alloc(size), { mode: 0o600 });
      utimesSync(inDeadLetter(nameOf(n)), nowMs / 1_000 + n, nowMs / 1_000 + n);
    }
    expect(open().stats()).toMatchObject({ dead_letters: most, dead_letters_dropped: 1 });
    expect(existsSync(inDeadLetter(nameOf(0)))).toBe(false);
  });

  it('B13: stay within the limit while a drainer keeps rejecting', () => {
    const letters = 60;
    const payload = Buffer.alloc(MAX_ENTRY_BYTES, 0xff);
    reject(nameOf(0));
    writeFileSync(inDeadLetter(nameOf(1)), Buffer.alloc(MAX_DEAD_LETTER_BYTES - 100_000), { mode: 0o600 });
    utimesSync(inDeadLetter(nameOf(1)), nowMs / 1_000 - 10, nowMs / 1_000 - 10);
    const spool = open();
    for (let n = 2; n < letters; n++) {
      put(nameOf(n), payload);
      for (const entry of spool.entries()) spool.reject(entry, BAD);
    }
    expect(spool.stats().dead_letters_dropped).toBe(1);
    expect(spool.stats().dead_letter_bytes).toBeLessThan(MAX_DEAD_LETTER_BYTES / 10);
  });

  it('B11: are not written through a link', () => {
    const victim = join(home, 'victim');
    mkdirSync(victim);
    symlinkSync(victim, join(home, 'dead-letter'));
    put(nameOf(1));
    const spool = open();
    const [entry] = spool.entries();
    expect(() => entry && spool.reject(entry, BAD)).toThrow(/symbolic link/);
    expect(readdirSync(victim)).toEqual([]);
    expect(ids()).toHaveLength(1);
  });
});

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { FoundFile } from './discover.ts';
import { type Checkpoint, readNewBytes } from './read-new-bytes.ts';
import { peekSessionId } from './transcript-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuel-code-read-'));
afterAll(() => rmSync(folder, { recursive: true }));
let number = 0;

function newFile(): FoundFile {
  const absolutePath = join(folder, `${number++}.jsonl`);
  return {
    root: folder,
    absolutePath,
    path: 'x',
    kind: 'main',
    sessionId: 's',
    agentId: null,
    sizeBytes: 0,
    mtimeMs: 0,
    inode: '',
  };
}

/** Reads a file the way the archive does, and keeps every generation. */
function createReader(file: FoundFile) {
  const generations: Buffer[] = [];
  let checkpoint: Checkpoint | null = null;
  let bytesRead = 0;
  return {
    generations,
    bytesRead: () => bytesRead,
    read: async () => {
      const parts: Uint8Array[] = [];
      const result = await readNewBytes(file, checkpoint, async ({ bytes }) => {
        parts.push(bytes);
        bytesRead += bytes.length;
        return null;
      });
      if (result === null) return null;
      if (result.isNewGeneration) generations.push(Buffer.alloc(0));
      const last = generations.length - 1;
      generations[last] = Buffer.concat([generations[last] ?? Buffer.alloc(0), ...parts]);
      checkpoint = result.checkpoint;
      return result;
    },
  };
}

describe('reading new bytes', () => {
  it('only appended bytes are read', async () => {
    const file = newFile();
    writeFileSync(file.absolutePath, 'a'.repeat(100_000));
    const reader = createReader(file);
    const first = await reader.read();
    expect(first?.sha256).toBe(createHash('sha256').update('a'.repeat(100_000)).digest('hex'));
    appendFileSync(file.absolutePath, 'tail\n');
    await reader.read();
    expect(reader.bytesRead()).toBe(100_005);
    expect(reader.generations.map(String)).toEqual([`${'a'.repeat(100_000)}tail\n`]);
  });

  it.each([
    ['of one segment', 100_000],
    ['of several segments', 20_000_000],
    ['that is empty', 0],
  ])('the hash of a file %s is that of all its bytes, also if each segment was hashed', async (_, size) => {
    const file = newFile();
    const content = Buffer.alloc(size, 'line\n');
    writeFileSync(file.absolutePath, content);
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(await readNewBytes(file, null, async ({ bytes }) => sha256(bytes))).toMatchObject({
      sha256: sha256(content),
    });
  });

  // Kills a mutant that checked only one end of the file.
  it.each([
    ['the beginning', 10],
    ['the end', 99_990],
  ])('C5: a file of which %s was changed is a new generation, although it has grown', async (_, at) => {
    const file = newFile();
    const before = Buffer.alloc(100_000, 'a');
    writeFileSync(file.absolutePath, before);
    const reader = createReader(file);
    await reader.read();
    const after = Buffer.concat([before, Buffer.from('tail\n')]);
    after.write('b', at);
    writeFileSync(file.absolutePath, after);
    expect(await reader.read()).toMatchObject({ isNewGeneration: true });
    expect(reader.generations.map((bytes) => bytes.equals(before))).toEqual([true, false]);
    expect(reader.generations[1]?.equals(after)).toBe(true);
  });

  it('C3: bytes appended during a read are left for the next read', async () => {
    const file = newFile();
    writeFileSync(file.absolutePath, 'first\n');
    const sizes: number[] = [];
    const first = await readNewBytes(file, null, async ({ bytes }) => {
      sizes.push(bytes.length);
      appendFileSync(file.absolutePath, 'second\n');
      return null;
    });
    expect([sizes, first?.checkpoint.archivedBytes]).toEqual([[6], 6]);
    const second = await readNewBytes(file, first?.checkpoint ?? null, async ({ startOffset, bytes }) => {
      expect([startOffset, Buffer.from(bytes).toString()]).toEqual([6, 'second\n']);
      return null;
    });
    expect(second).toMatchObject({ isNewGeneration: false, checkpoint: { archivedBytes: 13 } });
  });

  it('C3: a file that is written continuously stays one generation and matches at the end', async () => {
    const file = newFile();
    const piece = join(folder, 'piece');
    writeFileSync(piece, `${JSON.stringify({ text: 'x'.repeat(50_000) })}\n`);
    const loop = 'n=0; while [ "$n" -lt 200 ]; do cat "$1"; n=$((n + 1)); done >>"$2"';
    const writer = spawn('/bin/sh', ['-c', loop, 'sh', piece, String(file.absolutePath)], { stdio: 'ignore' });
    const done = once(writer, 'close');
    const reader = createReader(file);
    let reads = 0;
    while (writer.exitCode === null) if ((await reader.read()) !== null) reads++;
    expect(await done).toEqual([0, null]);
    await reader.read();
    expect(reads).toBeGreaterThan(1);
    expect(reader.generations).toHaveLength(1);
    expect(reader.generations[0]?.equals(readFileSync(file.absolutePath))).toBe(true);
  });

  it('C6: a file replaced by another is a new generation', async () => {
    const file = newFile();
    writeFileSync(file.absolutePath, 'one\n');
    const reader = createReader(file);
    await reader.read();
    writeFileSync(`${file.absolutePath}.new`, 'other and longer\n');
    renameSync(`${file.absolutePath}.new`, file.absolutePath);
    await reader.read();
    expect(reader.generations.map(String)).toEqual(['one\n', 'other and longer\n']);
  });

  it('C18: a link that replaces a file is not followed', async () => {
    const file = newFile();
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, file.absolutePath);
    expect(lstatSync(file.absolutePath).isSymbolicLink()).toBe(true);
    expect(await createReader(file).read()).toBeNull();
  });

  it('C1, C4, C5: after any sequence of appends, truncations and rewrites, the last generation equals the file', async () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), text: fc.string({ maxLength: 9_000 }) }),
      fc.record({ kind: fc.constant('cut' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant('rewrite' as const), text: fc.string({ minLength: 1, maxLength: 9_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const file = newFile();
        let content = '';
        writeFileSync(file.absolutePath, content);
        const reader = createReader(file);
        for (const step of actions) {
          if (step.kind === 'append') content += step.text;
          else if (step.kind === 'rewrite') content = step.text;
          else
            content = Buffer.from(content)
              .toString('latin1')
              .slice(0, Math.floor(content.length * step.share));
          content = Buffer.from(content, 'latin1').toString('latin1');
          truncateSync(file.absolutePath);
          writeFileSync(file.absolutePath, content, 'latin1');
          await reader.read();
          expect(reader.generations.at(-1)?.toString('latin1')).toBe(content);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  ['as the client writes it', '{"type":"user","sessionId":"s-1"}\n', 's-1'],
  ['with spaces, as other tools write it', '{"type": "user", "sessionId" : "s-1"}\n', 's-1'],
  ['in a later line', '{"type":"mode"}\n{"sessionId":"s-2"}\n', 's-2'],
  ['in an answer', '{"type":"user","sessionId":"s-1"}\n{"sessionId":"s-2","type":"assistant"}\n', 's-2'],
  ['in no line', '{"type":"mode"}\n', null],
])('finds the session of a file %s', (_, lines, id) => {
  const path = join(folder, 'file.jsonl');
  writeFileSync(path, lines);
  expect(peekSessionId(path)).toBe(id);
});
